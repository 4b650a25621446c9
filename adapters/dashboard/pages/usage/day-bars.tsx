import type { ComponentChildren } from 'preact';
import type { UsageDay } from '../../../../src/store-kit.ts';
import { tickText } from '../time/ticks.ts';
import { UTC } from '../time/zone.ts';
import type { DayParts } from './day-parts.ts';

/** The height of the drawing, in the units of its own box. */
const HEIGHT = 40;
/** The least height of a bar that is not zero, so that it stays visible. */
const LEAST = 1;

interface DayBarsProps {
  readonly title: string;
  /** The sum of all days, in words. */
  readonly total: string;
  /** What is said below the sum. */
  readonly children?: ComponentChildren;
  readonly days: readonly UsageDay[];
  /** The good part of a day, which is the lower one of its bar, and the other part. */
  readonly partsOf: (day: UsageDay) => DayParts;
  /** A figure of a day in words. */
  readonly wordsOf: (day: UsageDay) => string;
}

/** One bar for each day. The table below the charts has the figures, so screen readers skip the bars. */
export function DayBars({ title, total, children, days, partsOf, wordsOf }: DayBarsProps) {
  const most = Math.max(1, ...days.map((day) => partsOf(day)[0] + partsOf(day)[1]));
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT));
  return (
    <div class="card day-bars">
      <h3>{title}</h3>
      <p class="meter-figure">{total}</p>
      <p class="hint">{children}</p>
      <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map((day, i) => {
          const [good, bad] = partsOf(day).map(heightOf) as [number, number];
          return (
            <g key={day.day}>
              <title>{`${day.day}: ${wordsOf(day)}`}</title>
              <rect class="room" x={i} width={1} y={0} height={HEIGHT} />
              <rect class="bar" x={i + 0.1} width={0.8} y={HEIGHT - good} height={good} />
              <rect class="bad" x={i + 0.1} width={0.8} y={Math.max(0, HEIGHT - good - bad)} height={bad} />
            </g>
          );
        })}
      </svg>
      <p class="day-ends hint" aria-hidden="true">
        <span>{dayText(days[0]!)}</span>
        <span>today so far</span>
      </p>
    </div>
  );
}

const dayText = ({ day }: UsageDay) => tickText('day', UTC, Date.parse(day));
