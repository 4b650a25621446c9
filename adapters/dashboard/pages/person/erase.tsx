import { useState } from 'preact/hooks';
import type { ErasedAnswer } from '../../../../src/transport-kit.ts';
import type { CountBody } from '../../../../src/index.ts';
import { seen } from '../address/question.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { ConfirmAlias } from '../parts/field.tsx';
import { figure } from '../parts/figure.ts';
import { Notice } from '../parts/text.tsx';
import { ask, countOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';

interface EraseUserProps {
  readonly alias: string;
  readonly user: string;
  /** The question for all events of the user. */
  readonly body: CountBody;
  readonly onClose: () => void;
  readonly onDone: (erased: number) => void;
}

/** The dialog that erases a user's events, after it has said how many and the tenant's alias was typed. */
export function EraseUser({ alias, user, body, onClose, onDone }: EraseUserProps) {
  const [said, setSaid] = useState('');
  const count = useAnswer((signal) => countOf(alias, body, signal), [alias, user]);
  return (
    <FormDialog
      title="Erase this user?"
      act="Erase permanently"
      acting="Erasing…"
      isDangerous
      isUnready={said !== alias || count.value === undefined}
      send={() => ask<ErasedAnswer>(`users/erase/${alias}`, { alias: said, userId: user })}
      onClose={onClose}
      onDone={({ erased }) => onDone(erased)}
    >
      <p class="wraps">
        <strong class="figure">{count.value === undefined ? '…' : figure(count.value)}</strong>{' '}
        {count.value === 1 ? 'event' : 'events'} of <bdi class="strong">{seen(user)}</bdi> will be erased
        permanently, with those that arrive until then.
      </p>
      <p class="hint">
        An event that is sent later is stored again. The audit log records the number, not the user.
      </p>
      {count.error !== undefined && <Notice kind="error">{count.error}</Notice>}
      <ConfirmAlias alias={alias} value={said} onValue={setSaid} />
    </FormDialog>
  );
}
