import type { Event } from '../../../../src/index.ts';
import { figure } from '../parts/figure.ts';
import { Time } from '../parts/text.tsx';
import { ask, countOf } from '../server/api.ts';
import { isShared } from '../server/failures.ts';
import { useAnswer } from '../server/loading.ts';

interface OfTenant {
  readonly alias: string;
}

/** What a cell says of its error: nothing where the top of the page says it for all. */
const toCell = (error: string): string => (isShared(error) ? '—' : error);

/** The number of events of a tenant. It has its own request, so a slow count delays nothing else. */
export function EventCount({ alias }: OfTenant) {
  const { error, value } = useAnswer((signal) => countOf(alias, {}, signal), [alias]);
  return <>{error === undefined ? (value === undefined ? '…' : figure(value)) : toCell(error)}</>;
}

/** The time of the latest event of a tenant. */
export function LastEvent({ alias }: OfTenant) {
  const { error, value } = useAnswer(
    (signal) => ask<Event[]>(`query/${alias}`, { pagination: { size: 1 } }, { signal }),
    [alias],
  );
  if (error !== undefined) return <span class="time-room">{toCell(error)}</span>;
  if (value === undefined) return <span class="time-room">…</span>;
  return <Time ms={value[0]?.eventTs ?? null} never="none yet" />;
}
