import { measureWords } from '../address/measure.ts';
import { seen } from '../address/written.ts';
import { figureOrNone } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { bucketText } from '../time/buckets.ts';
import { partText } from './chart-words.tsx';
import { isBroken, type EventSeries } from './series.ts';

interface FiguresProps {
  readonly series: EventSeries;
  /** Of each bucket, why its figure is not that of a whole one. */
  readonly partials: readonly (string | undefined)[];
  readonly only: (i: number) => void;
}

/** The figures of the chart as text, for users who do not see the bars. */
export function Figures({ series, partials, only }: FiguresProps) {
  const { parts, before, zone, totals, measure } = series;
  return (
    <details class="figures">
      <summary>Show as table</summary>
      <Table label="Events over time">
        <thead>
          <tr>
            <th scope="col">From ({zone})</th>
            <th scope="col" class="number">
              {seen(measureWords(measure))}
            </th>
            {isBroken(parts) &&
              parts.map((part, k) => (
                <th key={k} scope="col" class="number part">
                  <bdi>{partText(part)}</bdi>
                </th>
              ))}
            {before !== undefined && (
              <th scope="col" class="number before">
                Period before
              </th>
            )}
            <th scope="col">
              <span class="hidden">Narrow</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {partials.map((partial, i) => (
            <tr key={i}>
              <td>
                {bucketText(series, i)}
                {partial !== undefined && <span class="muted"> {partial}</span>}
              </td>
              <td class="number">{figureOrNone(totals[i]!)}</td>
              {isBroken(parts) &&
                parts.map(({ figures }, k) => (
                  <td key={k} class="number part">
                    {figureOrNone(figures[i] ?? null)}
                  </td>
                ))}
              {before !== undefined && (
                <td class="number before">{figureOrNone(before.figures[i] ?? null)}</td>
              )}
              <td class="right">
                <button
                  type="button"
                  class="small"
                  aria-label={`Only this: ${bucketText(series, i)}`}
                  onClick={() => only(i)}
                >
                  Only this
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </details>
  );
}
