import { useRef, useState } from 'preact/hooks';
import type { CountBody, FilterEntry } from '../../../../src/index.ts';
import { ask, AnswerError, type Groups } from '../api.ts';
import { useAnswer } from '../loading.ts';
import { Notice } from '../parts.tsx';
import { place, setParameters } from '../place.ts';
import { filtersOf, setQuestion } from './state.ts';

const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
type Unit = (typeof UNITS)[number];
const DAY_MS = 86_400_000;
const LENGTHS: Readonly<Record<Unit, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
};
const HEIGHT = 96;

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

/** The first instant behind a bucket. */
function endOf(unit: Unit, start: number): number {
  if (unit !== 'month') return start + LENGTHS[unit];
  const date = new Date(start);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Asks for a range of time alone: by days where it is whole ones, else by instants. */
function narrow(from: number, until: number): void {
  const { parameters } = place.value;
  const others = filtersOf(parameters).filter(
    (entry) => !('property' in entry && entry.property === 'eventTs'),
  );
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const isDays = from % DAY_MS === 0 && until % DAY_MS === 0;
  const filters: readonly FilterEntry[] = isDays
    ? others
    : [
        ...others,
        { property: 'eventTs', comparison: 'GREATER_THAN_OR_EQUALS', value: new Date(from).toISOString() },
        { property: 'eventTs', comparison: 'LESS_THAN', value: new Date(until).toISOString() },
      ];
  setQuestion({
    filter: filters.length === 0 ? '' : JSON.stringify(filters),
    after: day(from),
    before: day(until - 1),
    unit: '',
  });
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
        <div class="chart-room" />
      ) : (
        <Chart unit={value.unit} groups={value.found.groups} />
      )}
    </section>
  );
}

function Chart({ unit, groups }: { readonly unit: Unit; readonly groups: Groups['groups'] }) {
  const svg = useRef<SVGSVGElement>(null);
  const [range, setRange] = useState<readonly [number, number]>();
  const [over, setOver] = useState<number>();
  if (groups.length === 0) return <p class="chart-room muted">Nothing matches.</p>;
  const most = Math.max(...groups.map(({ count }) => count), 1);
  const starts = groups.map(({ key }) => Date.parse(String(key)));
  const textOf = (i: number) =>
    new Date(starts[i]!)
      .toISOString()
      .slice(0, unit === 'minute' || unit === 'hour' ? 16 : 10)
      .replace('T', ' ');
  const indexAt = (event: PointerEvent) => {
    const { left, width } = svg.current!.getBoundingClientRect();
    return Math.min(
      groups.length - 1,
      Math.max(0, Math.floor(((event.clientX - left) / width) * groups.length)),
    );
  };
  const ask = (a: number, b: number) => narrow(starts[Math.min(a, b)]!, endOf(unit, starts[Math.max(a, b)]!));
  const [low, high] = range === undefined ? [-1, -1] : [Math.min(...range), Math.max(...range)];
  const shown = over === undefined ? undefined : groups[over];
  return (
    <>
      <svg
        ref={svg}
        class="chart"
        viewBox={`0 0 ${groups.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${groups.length} buckets from ${textOf(0)} to ${textOf(groups.length - 1)}; the largest has ${most} events. The table below has all figures.`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const i = indexAt(event);
          setRange([i, i]);
        }}
        onPointerMove={(event) => {
          const i = indexAt(event);
          setOver(i);
          if (range !== undefined) setRange([range[0], i]);
        }}
        onPointerUp={() => {
          if (range !== undefined) ask(...range);
          setRange(undefined);
        }}
        onPointerCancel={() => setRange(undefined)}
        onPointerLeave={() => setOver(undefined)}
      >
        {groups.map(({ count }, i) => {
          const height = count === 0 ? 0 : Math.max(1.5, (count / most) * (HEIGHT - 4));
          const isIn = i >= low && i <= high;
          return (
            <g key={i}>
              {(isIn || i === over) && (
                <rect class={isIn ? 'band in' : 'band'} x={i} y={0} width={1} height={HEIGHT} />
              )}
              <rect class="bar" x={i + 0.08} y={HEIGHT - height} width={0.84} height={height} />
            </g>
          );
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{textOf(0)}</span>
        <span class="over">
          {shown === undefined
            ? `most: ${most.toLocaleString('en')}`
            : `${textOf(over!)}: ${shown.count.toLocaleString('en')}`}
        </span>
        <span>{textOf(groups.length - 1)}</span>
      </p>
      <details class="figures">
        <summary>The figures as a table</summary>
        <div class="table" tabIndex={0} role="region" aria-label="Events over time">
          <table>
            <thead>
              <tr>
                <th scope="col">From (UTC)</th>
                <th scope="col" class="number">
                  Events
                </th>
                <th scope="col">
                  <span class="hidden">Narrow</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {groups.map(({ count }, i) => (
                <tr key={i}>
                  <td>{textOf(i)}</td>
                  <td class="number">{count.toLocaleString('en')}</td>
                  <td class="right">
                    <button
                      type="button"
                      class="small"
                      aria-label={`Only ${textOf(i)}`}
                      onClick={() => ask(i, i)}
                    >
                      Only this
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
