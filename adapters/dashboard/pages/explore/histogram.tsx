import { useMemo } from 'preact/hooks';
import type { Breakdown, CountBody } from '../../../../src/index.ts';
import { Refusal } from '../parts/text.tsx';
import { place, setParameters } from '../address/place.ts';
import { ask, AnswerError } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Chart } from './chart.tsx';
import { endOf, rangeOf, unitsFor } from './time.ts';
import { UNITS, type Unit } from '../address/unit.ts';

/** A range of at most this many days is shown in hours. */
const FEW_DAYS = 3;

const unitSaid = (parameters: URLSearchParams) => UNITS.find((unit) => unit === parameters.get('unit'));

/** The unit to ask for first: the one in the address, or the one that suits its range of time. */
export function unitFirst(body: CountBody, parameters: URLSearchParams): Unit {
  return unitSaid(parameters) ?? unitsFor(rangeOf(body))[0]!;
}

/** The bars, and the unit of time of each. */
interface Bars {
  readonly unit: Unit;
  readonly groups: Breakdown['groups'];
}

/** Loads the buckets. If the address names no unit, it picks one that gives a few dozen. */
async function load(
  alias: string,
  body: CountBody,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<Bars> {
  const range = rangeOf(body);
  const by = async (unit: Unit): Promise<Bars> => {
    const { groups } = await ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by: unit }, { signal });
    // The question covers whole days; only the bars within the exact range are shown.
    const isIn = (start: number) => endOf(unit, start) > range.from && start < range.until;
    return { unit, groups: groups.filter(({ key }) => isIn(Date.parse(String(key)))) };
  };
  const said = unitSaid(parameters);
  const [first = 'month', ...coarser] = said === undefined ? unitsFor(range) : [said];
  try {
    const bars = await by(first);
    return said === undefined && first === 'day' && bars.groups.length <= FEW_DAYS ? await by('hour') : bars;
  } catch (error) {
    // Status 400: there are too many buckets for one answer.
    const isTooMany = error instanceof AnswerError && error.status === 400 && coarser.length > 0;
    if (!isTooMany) throw error;
    return by(first === 'day' ? 'month' : coarser[0]!);
  }
}

/** The matching events over time. A drag over the bars narrows the question to that time. */
export function Histogram({ alias, body }: { readonly alias: string; readonly body: CountBody }) {
  const { parameters } = place.value;
  const said = unitSaid(parameters);
  const { value, error, loading, isOld, again } = useAnswer(
    (signal) => load(alias, body, parameters, signal),
    [alias, JSON.stringify(body), said],
  );
  // The bars do not render again while other answers arrive.
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
