import { useEffect } from 'preact/hooks';
import { linkTo } from '../address/address.ts';
import { place } from '../address/place.ts';
import { Notice } from './text.tsx';
import { unsaved } from './unsaved.ts';
import { setUnsaved } from './use-unsaved.ts';

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * While settings are not saved, closing the window asks first. Other pages say which these are, and lead back
 * to them.
 */
export function UnsavedNotice() {
  useEffect(() => {
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
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
                setUnsaved(key, undefined);
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
