import type { CountBody } from '../../../../src/index.ts';
import { Notice } from '../parts/text.tsx';
import { place, setParameters } from '../place.ts';
import type { Groups } from '../server/answers.ts';
import { ask, AnswerError } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Chart } from './chart.tsx';
import { UNITS, type Unit } from './time.ts';

/** Time in buckets, in the unit that shows a few dozen of them, where none is said. */
async function load(alias: string, body: CountBody, said: Unit | undefined, signal: AbortSignal) {
  const by = (unit: Unit) => ask<Groups>(`query/breakdown/${alias}`, { ...body, by: unit }, { signal });
  if (said !== undefined) return { unit: said, found: await by(said) };
  try {
    const found = await by('day');
    if (found.groups.length > 3) return { unit: 'day' as const, found };
    return { unit: 'hour' as const, found: await by('hour') };
  } catch (error) {
    // Too many days for one answer.
    if (!(error instanceof AnswerError) || error.status !== 400) throw error;
    return { unit: 'month' as const, found: await by('month') };
  }
}

/** How the events that match lie in time; a drag over it asks for that time alone. */
export function Histogram({ alias, body }: { readonly alias: string; readonly body: CountBody }) {
  const said = UNITS.find((unit) => unit === place.value.parameters.get('unit'));
  const { value, error, loading } = useAnswer(
    (signal) => load(alias, body, said, signal),
    [alias, JSON.stringify(body), said],
  );
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
        <Chart unit={value.unit} groups={value.found.groups} />
      )}
    </section>
  );
}
