import { useState } from 'preact/hooks';
import type { PersonSession } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Check } from '../parts/field.tsx';
import { AnswerError } from '../server/answer-error.ts';
import { ask, signOut } from '../server/api.ts';

interface EndSessionProps {
  readonly of: PersonSession;
  /** All sessions with this name, this one among them. */
  readonly namesakes: readonly PersonSession[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Passes over the answer about a session that has ended since the list was read. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof AnswerError) || error.status !== 400) throw error;
}

/** The dialog that ends a session, or all with its name. Ending one’s own signs out. */
export function EndSession({ of: session, namesakes, onClose, onDone }: EndSessionProps) {
  const [isAll, setAll] = useState(false);
  const { id, name, isPending } = session;
  const endsOwn = isAll ? namesakes.some(({ isCurrent }) => isCurrent) : session.isCurrent;
  const send = async () => {
    // The own session goes last, since the server refuses whatever comes after its end.
    if (isAll && endsOwn) {
      for (const { id, isCurrent } of namesakes) {
        if (!isCurrent) await ask('sessions/end', { id }).catch(unlessEnded);
      }
    }
    if (endsOwn) await signOut();
    else await ask('sessions/end', isAll ? { name } : { id });
  };
  return (
    <FormDialog
      title={isPending ? `Withdraw the link for ${seen(name)}?` : `End the session of ${seen(name)}?`}
      act={endsOwn ? 'End and sign out' : isPending && !isAll ? 'Withdraw link' : 'End session'}
      isDangerous
      isQuestion
      send={send}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        {isPending
          ? 'The link no longer signs anybody in.'
          : 'The next request is refused. Unsaved work on open pages is lost.'}{' '}
        {endsOwn && 'It is your own: you will be signed out here.'}
      </p>
      {namesakes.length > 1 && (
        <Check checked={isAll} onChange={() => setAll(!isAll)}>
          All {namesakes.length} sessions and links with this name
        </Check>
      )}
    </FormDialog>
  );
}
