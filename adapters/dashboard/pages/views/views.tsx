import { useEffect, useState } from 'preact/hooks';
import type { ViewAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Check, TextField } from '../parts/field.tsx';
import { useFirst } from '../parts/first.tsx';
import { Notice, Refusal } from '../parts/text.tsx';
import { ask, messageOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { mayChange } from '../server/roles.ts';
import { DeleteView, RenameView, UpdateView } from './dialogs.tsx';
import { close, opened, showList } from './opened.ts';
import { placeOfView, questionNow } from './question.ts';

/** The dialogs of the saved views of a tenant, if one is open. */
export function ViewsDialog({ alias }: { readonly alias: string }) {
  // Whoever leaves the page leaves its dialog too.
  useEffect(() => close, []);
  const now = opened.value;
  if (now === undefined) return null;
  if (now.kind === 'list') return <ViewList alias={alias} />;
  const dialog = { alias, view: now.view, onClose: showList, onDone: showList };
  if (now.kind === 'rename') return <RenameView {...dialog} />;
  return now.kind === 'update' ? <UpdateView {...dialog} /> : <DeleteView {...dialog} />;
}

function ViewList({ alias }: { readonly alias: string }) {
  const {
    value: views,
    error,
    again,
  } = useAnswer((signal) => ask<ViewAnswer[]>(`views/${alias}`, undefined, { signal }), [alias]);
  const { shown, more } = useFirst(views ?? [], 'views');
  return (
    <Dialog title="Views" onClose={close}>
      {error !== undefined && <Refusal error={error} again={again} />}
      {views?.length === 0 && <p class="muted">No views yet. Save the first one.</p>}
      {views !== undefined && views.length > 0 && (
        <ul class="views">
          {shown.map((view) => (
            <ViewRow key={view.id} alias={alias} view={view} />
          ))}
        </ul>
      )}
      {more}
      <SaveView alias={alias} />
    </Dialog>
  );
}

function ViewRow({ alias, view }: { readonly alias: string; readonly view: ViewAnswer }) {
  const name = seen(view.name);
  const button = (kind: 'rename' | 'update' | 'delete', text: string) => (
    <button
      type="button"
      class={kind === 'delete' ? 'small danger' : 'small'}
      aria-label={`${text} ${name}`}
      onClick={() => (opened.value = { kind, view })}
    >
      {text}
    </button>
  );
  return (
    <li>
      <a class="strong" href={placeOfView(alias, view)} onClick={close}>
        <bdi>{name}</bdi>
      </a>
      <span class="muted">
        {view.isShared ? (
          <>
            shared by <bdi>{seen(view.by)}</bdi>
          </>
        ) : (
          'yours'
        )}
      </span>
      {view.mayChange && (
        <span class="acts">
          {button('update', 'Update')}
          {button('rename', 'Rename')}
          {button('delete', 'Delete')}
        </span>
      )}
    </li>
  );
}

/** The form that saves the current question. */
function SaveView({ alias }: { readonly alias: string }) {
  const [name, setName] = useState('');
  const [isShared, setShared] = useState(false);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const save = () => {
    setBusy(true);
    ask(`views/create/${alias}`, { name, question: questionNow(), isShared }).then(
      close,
      (refused: unknown) => {
        setError(messageOf(refused));
        setBusy(false);
      },
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField
        label="Save this question as"
        required
        autoFocus
        maxLength={256}
        value={name}
        onValue={setName}
      />
      {mayChange(alias) && (
        <Check checked={isShared} onChange={() => setShared(!isShared)}>
          Share with everyone who can see {alias}
        </Check>
      )}
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      <footer>
        <button type="submit" class="primary" disabled={busy}>
          Save view
        </button>
      </footer>
    </form>
  );
}
