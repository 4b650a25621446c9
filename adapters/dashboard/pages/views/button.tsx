import { shownView } from '../address/place.ts';
import { cut } from '../address/written.ts';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { opened, showList } from './opened.ts';

/** The button that opens the saved views, with the name of the one that is shown. */
export function ViewsButton() {
  const name = shownView.value;
  return (
    <button type="button" onClick={showList}>
      Views
      {name !== undefined && (
        <>
          : <bdi class="view-name">{cut(name, NAME_LENGTH)}</bdi>
        </>
      )}
    </button>
  );
}

/** How many characters of a name are shown. */
const NAME_LENGTH = 60;

const DIALOG = lazy(async () => (await import('./views.tsx')).ViewsDialog);

/** The dialogs of the saved views of a tenant, if one is open. */
export function Views({ alias }: { readonly alias: string }) {
  return opened.value === undefined ? null : <Loaded of={DIALOG} props={{ alias }} isDialog />;
}
