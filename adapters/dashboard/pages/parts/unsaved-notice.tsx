import { linkTo } from '../address/address.ts';
import { place } from '../address/place.ts';
import { Notice } from './text.tsx';
import { unsaved } from './unsaved.ts';

/** Says on other pages which settings are not saved, and leads back to them. */
export function UnsavedNotice() {
  const { page, alias } = place.value;
  const elsewhere = [...unsaved.value].filter(([, form]) => form.page !== page || form.alias !== alias);
  if (elsewhere.length === 0) return null;
  return (
    <Notice>
      <ul class="unsaved">
        {elsewhere.map(([key, form]) => (
          <li key={key}>
            {form.title} of <bdi class="strong">{form.alias}</bdi>: changes are not saved.{' '}
            <a href={linkTo(form.page, form.alias)}>Back to them</a>{' '}
            <button
              type="button"
              class="small"
              onClick={() => {
                form.discard();
                const next = new Map(unsaved.peek());
                next.delete(key);
                unsaved.value = next;
              }}
            >
              Discard
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
