import { figure } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { bucketText } from '../time/marks.ts';
import { partText } from './chart-words.tsx';
import type { EventSeries } from './series.ts';

interface FiguresProps {
  readonly series: EventSeries;
  /** The number of events of each bucket. */
  readonly totals: readonly number[];
  /** Of each bucket, why its figure is not that of a whole one. */
  readonly marks: readonly (string | undefined)[];
  readonly only: (i: number) => void;
}

/** The figures of the chart as text, for users who do not see the bars. */
export function Figures({ series, totals, marks, only }: FiguresProps) {
  const { parts, before, zone } = series;
  const isBroken = parts.length > 1;
  return (
    <details class="figures">
      <summary>Show as table</summary>
      <Table label="Events over time">
        <thead>
          <tr>
            <th scope="col">From ({zone})</th>
            <th scope="col" class="number">
              Events
            </th>
            {isBroken &&
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
          {marks.map((mark, i) => (
            <tr key={i}>
              <td>
                {bucketText(series, i)}
                {mark !== undefined && <span class="muted"> {mark}</span>}
              </td>
              <td class="number">{figure(totals[i]!)}</td>
              {isBroken &&
                parts.map(({ counts }, k) => (
                  <td key={k} class="number part">
                    {figure(counts[i]!)}
                  </td>
                ))}
              {before !== undefined && <td class="number before">{figure(before.counts[i]!)}</td>}
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
