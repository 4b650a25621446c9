import { useMemo } from 'preact/hooks';
import type { Breakdown } from '../../../../src/index.ts';
import { setParameters } from '../address/place.ts';
import { toPath } from '../address/paths.ts';
import { figure } from '../parts/figure.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer, useOnce } from '../server/loading.ts';
import { percentText } from '../time/marks.ts';
import { isUnit, UNITS } from '../time/unit.ts';
import { textIn } from '../time/zone.ts';
import { Chart } from './chart.tsx';
import {
  groupsOfAll,
  loadSeries,
  sumOf,
  type AskBreakdown,
  type EventSeries,
  type SeriesOptions,
} from './series.ts';
import type { AskedQuestion } from './asked-question.ts';

/** How the address wants the events over time to be shown. */
export function optionsOf(parameters: URLSearchParams): SeriesOptions {
  const by = parameters.get('by') ?? '';
  return {
    unit: UNITS.find((unit) => unit === parameters.get('unit')),
    by: by === '' || isUnit(by) ? undefined : toPath(by),
    compares: parameters.get('compare') === 'before',
  };
}

interface HistogramProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly options: SeriesOptions;
  /** Gives the groups by the path of the options. */
  readonly groups: () => Promise<Breakdown>;
}

/** The matching events over time. A drag over the bars narrows the question to that time. */
export function Histogram({ alias, asked, options, groups }: HistogramProps) {
  const { unit: said, compares } = options;
  const askUntil =
    (signal: AbortSignal): AskBreakdown =>
    (body) =>
      ask<Breakdown>(`query/breakdown/${alias}`, body, { signal });
  // The buckets of an open range stay the same when the events are broken down.
  const all = useOnce(
    (signal) => groupsOfAll(asked.body, said, askUntil(signal)),
    [alias, asked.subject, asked.since, said],
  );
  const { value, error, loading, isOld, again } = useAnswer(
    (signal) => loadSeries(asked, options, { ask: askUntil(signal), all, groups }),
    [alias, asked.subject, JSON.stringify(options)],
    { since: asked.since },
  );
  // The bars do not render again while other answers arrive.
  const chart = useMemo(() => value && <Chart series={value} />, [value]);
  const isOpen = !Number.isFinite(asked.range.from) || !Number.isFinite(asked.range.until);
  return (
    <section
      class={isOld ? 'histogram card old' : 'histogram card'}
      aria-labelledby="time"
      aria-busy={loading}
    >
      <header>
        <h2 id="time">
          Over time <span class="muted">{value?.zone ?? asked.zone}</span>
        </h2>
        <div class="chart-options">
          <label class="inline-label">
            <input
              type="checkbox"
              checked={compares}
              onChange={() => setParameters({ compare: compares ? '' : 'before' }, true)}
            />
            <span>Compare with the period before</span>
          </label>
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
        </div>
      </header>
      {error !== undefined ? (
        <Refusal error={error} again={again} />
      ) : value === undefined ? (
        <Skeleton of="chart" />
      ) : (
        <>
          {value.zone !== asked.zone && (
            <p class="hint">
              Buckets are in UTC: this range has too many of {asked.zone} for one chart. Choose a shorter
              range.
            </p>
          )}
          {compares && <Comparison series={value} isOpen={isOpen} />}
          {chart}
        </>
      )}
    </section>
  );
}

/** What the period before had, and the difference. */
function Comparison({ series, isOpen }: { readonly series: EventSeries; readonly isOpen: boolean }) {
  const { before, parts, zone } = series;
  if (before === undefined) {
    return (
      <p class="hint">
        {isOpen
          ? 'Choose a range with a beginning and an end to compare it.'
          : 'This range cannot be compared.'}
      </p>
    );
  }
  const [now, then] = [sumOf(parts.flatMap(({ counts }) => counts)), sumOf(before.counts)];
  const percent = percentText(now, then);
  return (
    <p class="comparison">
      <strong>{figure(now)}</strong> against <strong>{figure(then)}</strong> in the period before
      {percent !== undefined && (
        <>
          : <strong>{percent}</strong>
        </>
      )}{' '}
      <span class="muted">
        ({textIn(zone, before.range.from)} to {textIn(zone, before.range.until)})
      </span>
    </p>
  );
}
