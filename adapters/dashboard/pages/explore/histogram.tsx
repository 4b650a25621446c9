import { useMemo } from 'preact/hooks';
import type { Breakdown, Mark } from '../../../../src/index.ts';
import { place, setParameters } from '../address/place.ts';
import { toPath } from '../address/paths.ts';
import { EVENTS, measureIn } from '../address/measure.ts';
import { figureOrNone } from '../parts/figure.ts';
import { lazy, Loaded, prefetch } from '../parts/lazy.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { firstAgainst } from '../time/against.ts';
import { isUnit, UNITS, type Unit } from '../time/unit.ts';
import { Chart } from './chart.tsx';
import type { SeenPaths } from './filter/seen-paths.ts';
import { pathOfMarks } from './marked.ts';
import { MeasureChoice } from './measure-choice.tsx';
import { loadSeries, type SeriesOptions } from './series.ts';
import { isFiltered, type AskedQuestion } from './asked-question.ts';
import { rangeAround } from './time.ts';

/** The words of a comparison. Most people ask for none. */
const COMPARISON = lazy(async () => (await import('./comparison.tsx')).Comparison);

/** How the address wants the events over time to be shown. */
export function optionsOf(parameters: URLSearchParams): SeriesOptions {
  const by = parameters.get('by') ?? '';
  return {
    unit: UNITS.find((unit) => unit === parameters.get('unit')),
    by: by === '' || isUnit(by) ? undefined : toPath(by),
    measure: measureIn(parameters.get('measure') ?? '') ?? EVENTS,
    compares: parameters.get('compare') === 'before',
  };
}

interface HistogramProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly options: SeriesOptions;
  readonly seenPaths: SeenPaths;
}

/** The matching events over time. A drag over the bars narrows the question to that time. */
export function Histogram({ alias, asked, options, seenPaths }: HistogramProps) {
  const { compares, measure } = options;
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => {
      // Words that came after the bars would move them.
      const words = compares && prefetch(COMPARISON);
      const read = (body: object) => ask<Breakdown>(`query/breakdown/${alias}`, body, { signal });
      const series = await loadSeries(asked, options, read);
      await words;
      return series;
    },
    [alias, asked.subject, JSON.stringify(options)],
    { since: asked.since },
  );
  const marks = useAnswer(
    (signal) => ask<readonly Mark[]>(pathOfMarks(alias, asked.range), undefined, { signal }),
    [alias, asked.subject],
    { isAside: true, since: asked.since },
  );
  // The bars do not render again while other answers arrive.
  const chart = useMemo(
    () => value && <Chart series={value} marks={marks.value ?? []} />,
    [value, marks.value],
  );
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
        <ChartOptions asked={asked} options={options} seenPaths={seenPaths} unit={value?.unit} />
      </header>
      {error === undefined && measure.take !== 'events' && (
        <p class="comparison">
          <strong>{value === undefined ? '…' : figureOrNone(value.whole)}</strong> in all
        </p>
      )}
      {error !== undefined ? (
        <Refusal error={error} again={again} />
      ) : value === undefined ? (
        <Skeleton of="chart" />
      ) : (
        <>
          {compares && <Loaded of={COMPARISON} props={{ series: value, isOpen }} isDialog />}
          {chart}
          {marks.error !== undefined && (
            <div class="hint">
              Marks: <Refusal error={marks.error} again={marks.again} />
            </div>
          )}
        </>
      )}
    </section>
  );
}

interface ChartOptionsProps extends Omit<HistogramProps, 'alias'> {
  /** The unit of the bars that are shown, if there are any. */
  readonly unit: Unit | undefined;
}

/** What may be chosen of the chart. */
function ChartOptions({ asked, options, seenPaths, unit }: ChartOptionsProps) {
  const { unit: said, compares, measure } = options;
  return (
    <div class="chart-options">
      <MeasureChoice measure={measure} seenPaths={seenPaths} />
      <label class="inline-label">
        <input
          type="checkbox"
          checked={compares}
          onChange={() => setParameters({ compare: compares ? '' : 'before' }, true)}
        />
        <span>Compare with the period before</span>
      </label>
      <label class="inline-label interval">
        <span>Interval</span>
        <select value={said ?? ''} onChange={(e) => setParameters({ unit: e.currentTarget.value }, true)}>
          <option value="">{said === undefined && unit !== undefined ? `Auto (${unit})` : 'Auto'}</option>
          {UNITS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </label>
      <DiffersButton asked={asked} />
    </div>
  );
}

/** Opens what differs between the events shown and others. All events are compared with nothing. */
function DiffersButton({ asked }: Pick<HistogramProps, 'asked'>) {
  const isShown = place.value.parameters.has('against');
  const against = firstAgainst(asked, rangeAround(asked.range), isFiltered(asked.body));
  if (against === undefined && !isShown) return null;
  return (
    <button
      type="button"
      class="small"
      aria-expanded={isShown}
      onClick={() => setParameters({ against: isShown ? '' : against! }, true)}
    >
      What differs
    </button>
  );
}
