import type { Breakdown } from '../../../../src/index.ts';
import { useRef, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { endOf, narrow } from './time.ts';
import type { Unit } from '../address/unit.ts';

const HEIGHT = 120;

/** A bar chart over time. A drag over the bars narrows the question to that time. */
export function Chart({ unit, groups }: { readonly unit: Unit; readonly groups: Breakdown['groups'] }) {
  const svg = useRef<SVGSVGElement>(null);
  const [range, setRange] = useState<readonly [number, number]>();
  const [over, setOver] = useState<number>();
  const most = Math.max(0, ...groups.map(({ count }) => count));
  if (most === 0) return <p class="nothing muted">No events in this time range.</p>;
  const starts = groups.map(({ key }) => Date.parse(String(key)));
  const textOf = (i: number) =>
    new Date(starts[i]!)
      .toISOString()
      .slice(0, unit === 'minute' || unit === 'hour' ? 16 : 10)
      .replace('T', ' ');
  const inWords =
    `${groups.length} buckets from ${textOf(0)} to ${textOf(groups.length - 1)}; ` +
    `the largest has ${most} events. The table below lists all figures.`;
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
        aria-label={inWords}
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
              <rect
                class={i === over || isIn ? 'bar over' : 'bar'}
                x={i + 0.08}
                y={HEIGHT - height}
                width={0.84}
                height={height}
              />
            </g>
          );
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        <span>{textOf(0)}</span>
        <span class="over">
          {shown === undefined
            ? `up to ${figure(most)} each ${unit}`
            : `${textOf(over!)}: ${figure(shown.count)}`}
        </span>
        <span>{textOf(groups.length - 1)}</span>
      </p>
      <Figures groups={groups} textOf={textOf} only={(i) => ask(i, i)} />
    </>
  );
}

interface FiguresProps {
  readonly groups: Breakdown['groups'];
  readonly textOf: (i: number) => string;
  readonly only: (i: number) => void;
}

/** The figures of the chart as text, for users who do not see the bars. */
function Figures({ groups, textOf, only }: FiguresProps) {
  return (
    <details class="figures">
      <summary>Show as table</summary>
      <Table label="Events over time">
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
              <td class="number">{figure(count)}</td>
              <td class="right">
                <button
                  type="button"
                  class="small"
                  aria-label={`Only this: ${textOf(i)}`}
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
