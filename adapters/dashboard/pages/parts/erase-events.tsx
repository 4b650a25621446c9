import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CountBody } from '../../../../src/index.ts';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { ask, countOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { FormDialog } from './dialog.tsx';
import { ConfirmAlias } from './field.tsx';
import { figure } from './figure.ts';
import { Notice } from './text.tsx';

interface ConfirmErasureProps<T> {
  readonly title: string;
  readonly alias: string;
  /** The events that will be erased. */
  readonly body: CountBody;
  /** The words after the number of events. */
  readonly words: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly act: string;
  readonly acting?: string;
  readonly send: () => Promise<T>;
  readonly onClose: () => void;
  readonly onDone: (done: T) => void;
}

/** A dialog that says how many events will be erased. It acts after the tenant's alias was typed. */
export function ConfirmErasure<T>({ alias, body, words, children, ...dialog }: ConfirmErasureProps<T>) {
  const [said, setSaid] = useState('');
  const count = useAnswer((signal) => countOf(alias, body, signal), [alias, JSON.stringify(body)]);
  return (
    <FormDialog {...dialog} isDangerous isUnready={said !== alias || count.value === undefined}>
      <p class="wraps">
        <strong class="figure">{count.value === undefined ? '…' : figure(count.value)}</strong>{' '}
        {count.value === 1 ? 'event' : 'events'} {words}
      </p>
      {children}
      {count.error !== undefined && <Notice kind="error">{count.error}</Notice>}
      <ConfirmAlias alias={alias} value={said} onValue={setSaid} />
    </FormDialog>
  );
}

interface EraseEventsProps {
  readonly title: string;
  readonly alias: string;
  /** The events to erase. */
  readonly body: CountBody;
  /** The words after the number of events that say which these are. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onDone: (erased: number) => void;
}

/** The dialog that erases events, after it has said how many and the tenant's alias was typed. */
export function EraseEvents({ children, onDone, ...erasure }: EraseEventsProps) {
  const { alias, body } = erasure;
  return (
    <ConfirmErasure
      {...erasure}
      act="Erase permanently"
      acting="Erasing…"
      words={<>{children} will be erased permanently, with those that arrive until then.</>}
      send={() => ask<AdminAnswer<'eraseEvents'>>(`events/erase/${alias}`, { alias, query: body })}
      onDone={({ erased }) => onDone(erased)}
    >
      <p class="hint">
        An event that is sent later is stored again. The audit log records the number, and no user.
      </p>
    </ConfirmErasure>
  );
}

/** The notice after an erasure. */
export function Erased({ count }: { readonly count: number }) {
  return (
    <Notice kind="good">
      {figure(count)} {count === 1 ? 'event was' : 'events were'} erased.
    </Notice>
  );
}
