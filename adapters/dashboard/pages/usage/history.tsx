import type { UsageDay } from '../../../../src/store-kit.ts';
import { linkTo } from '../address/address.ts';
import { place, setParameters } from '../address/place.ts';
import { bytesText, figure } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { Refusal } from '../parts/text.tsx';
import { ask, countOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { DayBars } from './day-bars.tsx';
import { eventParts, requestParts } from './day-parts.ts';

/** The lengths of history to choose from, in days. */
const LENGTHS = [7, 30, 90];
const LENGTH_DEFAULT = 30;

/** The length in the address, or the default. */
const lengthNow = () => LENGTHS.find((each) => String(each) === place.value.parameters.get('days'));

/** Asks for the usage of the last days. A new `since` asks again. */
export function useHistory(alias: string, since: number) {
  const length = lengthNow() ?? LENGTH_DEFAULT;
  return useAnswer(
    (signal) => ask<UsageDay[]>(`usage/history/${alias}?days=${length}`, undefined, { signal }),
    [alias, length],
    { since },
  );
}

interface UsageHistoryProps {
  readonly alias: string;
  readonly history: ReturnType<typeof useHistory>;
  /** A new one asks again. */
  readonly since: number;
}

/** What was requested, refused and stored on each of the last days. */
export function UsageHistory({
  alias,
  history: { value: days, error, isOld, again },
  since,
}: UsageHistoryProps) {
  const length = lengthNow() ?? LENGTH_DEFAULT;
  return (
    <section class={isOld ? 'usage-history old' : 'usage-history'} aria-labelledby="history">
      <header>
        <h2 id="history">By day</h2>
        <div role="group" aria-label="Days" class="lengths">
          {LENGTHS.map((each) => (
            <button
              key={each}
              type="button"
              class="small"
              aria-pressed={each === length}
              onClick={() => setParameters({ days: each === LENGTH_DEFAULT ? '' : String(each) })}
            >
              {each} days
            </button>
          ))}
        </div>
      </header>
      <StoredCount alias={alias} since={since} />
      {error !== undefined && <Refusal error={error} again={again} />}
      {days !== undefined && <Days alias={alias} days={days} />}
    </section>
  );
}

/** How many events there are, however they came: the days count what senders sent by HTTP. */
function StoredCount({ alias, since }: Pick<UsageHistoryProps, 'alias' | 'since'>) {
  const { value } = useAnswer((signal) => countOf(alias, {}, signal), [alias], { since, isAside: true });
  return (
    <p class="hint">
      <strong>{value === undefined ? '…' : figure(value)}</strong> events are stored, imported ones included.
      The days count what senders sent.
    </p>
  );
}

type Count = Exclude<keyof UsageDay, 'day'>;

function Days({ alias, days }: { readonly alias: string; readonly days: readonly UsageDay[] }) {
  const sum = (name: Count) => days.reduce((total, day) => total + day[name], 0);
  const refused = sum('refused');
  const rejected = sum('rejected');
  const why = <a href={linkTo('refusals', alias)}>why</a>;
  return (
    <>
      <div class="cards">
        <DayBars
          title="Requests"
          total={figure(sum('requests'))}
          days={days}
          partsOf={requestParts}
          wordsOf={(day) => `${figure(day.requests)} requests, ${figure(day.refused)} refused`}
        >
          {refused === 0 ? (
            'None refused.'
          ) : (
            <>
              <span class="refused">{figure(refused)} refused</span>, of which {figure(sum('limited'))} by a
              limit: {why}
            </>
          )}
        </DayBars>
        <DayBars
          title="Events received"
          total={figure(sum('events'))}
          days={days}
          partsOf={eventParts}
          wordsOf={(day) => `${figure(day.events)} received, ${figure(day.rejected)} rejected`}
        >
          {rejected === 0 ? (
            'None rejected.'
          ) : (
            <>
              <span class="refused">{figure(rejected)} rejected</span>: {why}
            </>
          )}
        </DayBars>
        <DayBars
          title="Bytes of events"
          total={bytesText(sum('bytes'))}
          days={days}
          partsOf={(day) => [day.bytes, 0]}
          wordsOf={(day) => `${figure(day.bytes)} bytes`}
        >
          As the ingestion limit counts them.
        </DayBars>
      </div>
      <details class="figures">
        <summary>Show as table</summary>
        <Table label="Usage by day">
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {COLUMNS.map(([name, head]) => (
                <th key={name} scope="col" class="number">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map((each) => (
              <tr key={each.day}>
                <th scope="row">{each.day}</th>
                {COLUMNS.map(([name]) => (
                  <td key={name} class="number">
                    {figure(each[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </Table>
      </details>
    </>
  );
}

const COLUMNS: readonly (readonly [name: Count, head: string])[] = [
  ['requests', 'Requests'],
  ['refused', 'Refused'],
  ['limited', 'By a limit'],
  ['events', 'Events received'],
  ['rejected', 'Rejected'],
  ['bytes', 'Bytes'],
];
