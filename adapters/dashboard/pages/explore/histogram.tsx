import { useMemo } from 'preact/hooks';
import type { CountBody } from '../../../../src/index.ts';
import { Notice } from '../parts/text.tsx';
import { place, setParameters } from '../place.ts';
import type { Groups } from '../server/answers.ts';
import { ask, AnswerError } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Chart } from './chart.tsx';
import { DAY_MS, UNITS, type Unit } from './time.ts';

/** Of so few days, hours are shown. */
const FEW_DAYS = 3;

const unitSaid = (parameters: URLSearchParams) => UNITS.find((unit) => unit === parameters.get('unit'));

/** The unit that is asked for first: the one that the address says, or what the days that it says need. */
export function unitFirst({ after, before }: CountBody, parameters: URLSearchParams): Unit {
  const days = (Date.parse(String(before)) - Date.parse(String(after))) / DAY_MS + 1;
  return unitSaid(parameters) ?? (days <= FEW_DAYS ? 'hour' : 'day');
}

/** Time in buckets, in the unit that shows a few dozen of them, where none is said. */
async function load(alias: string, body: CountBody, parameters: URLSearchParams, signal: AbortSignal) {
  const by = async (unit: Unit) => ({
    unit,
    found: await ask<Groups>(`query/breakdown/${alias}`, { ...body, by: unit }, { signal }),
  });
  const first = unitFirst(body, parameters);
  if (first !== 'day' || unitSaid(parameters) !== undefined) return by(first);
  try {
    const byDay = await by('day');
    return byDay.found.groups.length > FEW_DAYS ? byDay : await by('hour');
  } catch (error) {
    // Too many days for one answer.
    if (!(error instanceof AnswerError) || error.status !== 400) throw error;
    return by('month');
  }
}

/** How the events that match lie in time; a drag over it asks for that time alone. */
export function Histogram({ alias, body }: { readonly alias: string; readonly body: CountBody }) {
  const { parameters } = place.value;
  const said = unitSaid(parameters);
  const { value, error, loading } = useAnswer(
    (signal) => load(alias, body, parameters, signal),
    [alias, JSON.stringify(body), said],
  );
  // Bars that are there are left as they are while other answers come.
  const chart = useMemo(() => value && <Chart unit={value.unit} groups={value.found.groups} />, [value]);
  return (
    <section class="histogram card" aria-labelledby="time" aria-busy={loading}>
      <header>
        <h2 id="time">
          Over time <span class="muted">UTC</span>
        </h2>
        <label class="inline-label">
          <span>each</span>
          <select value={said ?? ''} onChange={(e) => setParameters({ unit: e.currentTarget.value }, true)}>
            <option value="">
              {said === undefined && value !== undefined ? `${value.unit} (fits)` : 'what fits'}
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
        <Notice kind="error">{error}</Notice>
      ) : value === undefined ? (
        <p class="muted">Counting…</p>
      ) : (
        chart
      )}
    </section>
  );
}
