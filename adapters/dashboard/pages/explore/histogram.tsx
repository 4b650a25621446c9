import { useMemo } from 'preact/hooks';
import type { Breakdown, CountBody } from '../../../../src/index.ts';
import { Refusal } from '../parts/text.tsx';
import { place, setParameters } from '../address/place.ts';
import { ask, AnswerError } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Chart } from './chart.tsx';
import { endOf, rangeOf, unitsFor } from './time.ts';
import { UNITS, type Unit } from '../address/unit.ts';

/** Of so few days, hours are shown. */
const FEW_DAYS = 3;

const unitSaid = (parameters: URLSearchParams) => UNITS.find((unit) => unit === parameters.get('unit'));

/** The unit that is asked for first: the one that the address says, or what the time that it says needs. */
export function unitFirst(body: CountBody, parameters: URLSearchParams): Unit {
  return unitSaid(parameters) ?? unitsFor(rangeOf(body))[0]!;
}

/** Bars of time, and how long each is. */
interface Bars {
  readonly unit: Unit;
  readonly groups: Breakdown['groups'];
}

/** Time in buckets, in the unit that shows a few dozen of them, where none is said. */
async function load(
  alias: string,
  body: CountBody,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<Bars> {
  const range = rangeOf(body);
  const by = async (unit: Unit): Promise<Bars> => {
    const { groups } = await ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by: unit }, { signal });
    // The days that are asked for are whole ones: of them, the bars are those of the time that is.
    const isIn = (start: number) => endOf(unit, start) > range.from && start < range.until;
    return { unit, groups: groups.filter(({ key }) => isIn(Date.parse(String(key)))) };
  };
  const said = unitSaid(parameters);
  const [first = 'month', ...coarser] = said === undefined ? unitsFor(range) : [said];
  try {
    const bars = await by(first);
    return said === undefined && first === 'day' && bars.groups.length <= FEW_DAYS ? await by('hour') : bars;
  } catch (error) {
    // Too many buckets for one answer.
    const isTooMany = error instanceof AnswerError && error.status === 400 && coarser.length > 0;
    if (!isTooMany) throw error;
    return by(first === 'day' ? 'month' : coarser[0]!);
  }
}

/** How the events that match lie in time; a drag over it asks for that time alone. */
export function Histogram({ alias, body }: { readonly alias: string; readonly body: CountBody }) {
  const { parameters } = place.value;
  const said = unitSaid(parameters);
  const { value, error, loading, isOld, again } = useAnswer(
    (signal) => load(alias, body, parameters, signal),
    [alias, JSON.stringify(body), said],
  );
  // Bars that are there are left as they are while other answers come.
  const chart = useMemo(() => value && <Chart {...value} />, [value]);
  return (
    <section
      class={isOld ? 'histogram card old' : 'histogram card'}
      aria-labelledby="time"
      aria-busy={loading}
    >
      <header>
        <h2 id="time">
          Over time <span class="muted">UTC</span>
        </h2>
        <label class="inline-label">
          <span>each</span>
          <select value={said ?? ''} onChange={(e) => setParameters({ unit: e.currentTarget.value }, true)}>
            <option value="">
              {said === undefined && value !== undefined ? `Auto (${value.unit})` : 'Auto'}
            </option>
            {UNITS.map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </select>
        </label>
      </header>
      {error !== undefined ? (
        <Refusal error={error} again={again} />
      ) : value === undefined ? (
        <p class="muted">Counting…</p>
      ) : (
        chart
      )}
    </section>
  );
}
