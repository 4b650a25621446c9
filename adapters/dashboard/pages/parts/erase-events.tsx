import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { CountBody, ErasureReceipt } from '../../../../src/index.ts';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { ask, countOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { FormDialog } from './dialog.tsx';
import { Confirm } from './field.tsx';
import { figure } from './figure.ts';
import { Notice } from './text.tsx';

interface ConfirmErasureProps<T> {
  readonly title: string;
  readonly alias: string;
  /** The events that will be erased. */
  readonly body: CountBody;
  /** What has to be typed before: the name of what goes, or that of the tenant. */
  readonly confirmedBy?: string;
  /** The words after the number of events. */
  readonly words: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly act: string;
  readonly acting?: string;
  readonly send: () => Promise<T>;
  readonly onClose: () => void;
  readonly onDone: (done: T) => void;
}

/** A dialog that says how many events will be erased. It acts after the name was typed of what goes. */
export function ConfirmErasure<T>({
  alias,
  body,
  confirmedBy = alias,
  words,
  children,
  ...dialog
}: ConfirmErasureProps<T>) {
  const [said, setSaid] = useState('');
  const count = useAnswer((signal) => countOf(alias, body, signal), [alias, JSON.stringify(body)]);
  return (
    <FormDialog {...dialog} isDangerous isUnready={!isSaid(said, confirmedBy) || count.value === undefined}>
      <p class="wraps">
        <strong class="figure">{count.value === undefined ? '…' : figure(count.value)}</strong>{' '}
        {count.value === 1 ? 'event' : 'events'} {words}
      </p>
      {children}
      {count.error !== undefined && <Notice kind="error">{count.error}</Notice>}
      <Confirm word={confirmedBy} value={said} onValue={setSaid} />
    </FormDialog>
  );
}

/** Whether a name was typed, as it is or as the page writes it. */
const isSaid = (said: string, name: string) => said === name || said === seen(name);

interface EraseEventsProps {
  readonly title: string;
  readonly alias: string;
  /** The events to erase. */
  readonly body: CountBody;
  /** What has to be typed before; the tenant's alias if it is absent. */
  readonly confirmedBy?: string;
  /** The words after the number of events that say which these are. */
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  readonly onDone: (receipt: ErasureReceipt) => void;
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
      onDone={onDone}
    >
      <p class="hint">
        An event that is sent later is stored again. The audit log records the number, and no user.
      </p>
    </ConfirmErasure>
  );
}

/** The notice after an erasure, with its receipt as a file. */
export function Erased({ receipt }: { readonly receipt: ErasureReceipt }) {
  const { tenant, erased, at } = receipt;
  const text = `${JSON.stringify(receipt, undefined, 2)}\n`;
  return (
    <Notice kind="good">
      {figure(erased)} {erased === 1 ? 'event was' : 'events were'} erased.{' '}
      <a
        href={`data:application/json,${encodeURIComponent(text)}`}
        download={`erased-${tenant}-${at.replaceAll(':', '-')}.json`}
      >
        Download the receipt
      </a>
    </Notice>
  );
}
