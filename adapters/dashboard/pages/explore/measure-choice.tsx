import { useMemo } from 'preact/hooks';
import type { Property } from '../../../../src/store-kit.ts';
import { EVENTS, FIGURES, measureText, type Measure } from '../address/measure.ts';
import { setParameters } from '../address/place.ts';
import { seen } from '../address/written.ts';
import { suggestionsOf, type SeenPaths } from './filter/seen-paths.ts';

/** How many paths are offered. */
const OFFERED_MAX = 100;

interface MeasureChoiceProps {
  readonly measure: Measure;
  readonly seenPaths: SeenPaths;
}

/** The choice of what is told of each bar: how many events, how many values, or a figure of numbers. */
export function MeasureChoice({ measure, seenPaths }: MeasureChoiceProps) {
  const { take, of } = measure;
  const paths = useMemo(() => offeredFor(measure, seenPaths), [take, of, seenPaths]);
  const choose = (next: Measure) => setParameters({ measure: measureText(next) }, true);
  const takeOther = (each: Measure['take']) => {
    if (each === 'events') return choose(EVENTS);
    const others = offeredFor({ take: each, of: '' }, seenPaths);
    const kept = others.includes(of) ? of : others[0];
    if (kept !== undefined) choose({ take: each, of: kept });
  };
  const hasNumbers = seenPaths.properties.some(isNumbers);
  return (
    <div class="inline-label measure">
      <select
        aria-label="Measure"
        value={take}
        onChange={({ currentTarget }) => takeOther(currentTarget.value as Measure['take'])}
      >
        <option value="events">Events</option>
        <option value="distinct">Distinct values</option>
        {FIGURES.map(([each, text]) => (
          <option key={each} value={each} disabled={!hasNumbers && each !== take}>
            {text}
          </option>
        ))}
        {take !== 'events' && take !== 'distinct' && !FIGURES.some(([each]) => each === take) && (
          <option value={take}>{take}</option>
        )}
      </select>
      {take !== 'events' && (
        <>
          <span>of</span>
          <select
            aria-label="Path of the measure"
            value={of}
            onChange={({ currentTarget }) => choose({ take, of: currentTarget.value })}
          >
            {paths.map((path) => (
              <option key={path} value={path}>
                {seen(path.replace(/^properties\./, ''))}
              </option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

const isNumbers = ({ types }: Property) => types.number !== undefined;

/**
 * The paths that a measure can be of: those of numbers, the most frequent first, or all of them, those with
 * few values first.
 */
function offeredFor({ take, of }: Measure, seenPaths: SeenPaths): readonly string[] {
  const numbers = seenPaths.properties
    .filter(isNumbers)
    .sort((a, b) => b.types.number! - a.types.number!)
    .map(({ path }) => path);
  const all = seenPaths.properties.map(({ path }) => path);
  const fitting =
    take === 'distinct' ? ['userId', 'eventName', ...suggestionsOf(seenPaths), ...all] : numbers;
  const offered = [...new Set(fitting)].slice(0, OFFERED_MAX);
  return of === '' || offered.includes(of) ? offered : [of, ...offered];
}
