import type { EventStore, Signal } from '../../../src/index.ts';
import { parseBreakdownBody, parseQueryBody, parseTopBody } from '../../../src/core/query/parse-query.ts';
import { parseSequenceBody } from '../../../src/core/query/parse-sequence.ts';
import type { MeasuredGrouping } from '../../../src/store-kit.ts';

/** Asks a store whatever reads events, each of another tenant, for somebody who may leave. */
export function askEveryQuestion(events: EventStore, signal: Signal): readonly Promise<unknown>[] {
  const { query, page } = parseQueryBody({});
  const { ranking } = parseTopBody({ of: 'properties.n' });
  const { grouping } = parseBreakdownBody({ by: 'eventName' });
  const measures = [{ of: 'properties.n', take: ['sum'] }] as const;
  const measured = parseBreakdownBody({ by: 'eventName', measures }).grouping as MeasuredGrouping;
  const ordered = { by: 'eventName', measures, orderBy: { measure: 0, take: 'sum' } } as const;
  const inOrder = parseBreakdownBody(ordered).grouping as MeasuredGrouping;
  const sequence = parseSequenceBody({ steps: [{ event: 'seen' }] });
  const streams = events.streams!('of streams', sequence.query, sequence.streams, signal);
  return [
    events.query('of query', query, page, signal),
    events.count('of count', query, signal),
    events.breakdown!('of breakdown', query, grouping, signal),
    events.measure!('of measure', query, measured, signal),
    events.measure!('of order', query, inOrder, signal),
    events.top!('of top', query, ranking, signal),
    events.properties!('of properties', undefined, signal),
    streams[Symbol.asyncIterator]().next(),
  ];
}
