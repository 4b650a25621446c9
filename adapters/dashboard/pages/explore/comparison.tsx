import type { MaybeFigure } from '../address/measure.ts';
import { figureOrNone } from '../parts/figure.ts';
import { percentText } from '../time/buckets.ts';
import { textIn } from '../time/zone.ts';
import type { EventSeries } from './series.ts';

/** What the period before had, and the difference. */
export function Comparison({ series, isOpen }: { readonly series: EventSeries; readonly isOpen: boolean }) {
  const { before, whole, zone } = series;
  if (before === undefined) {
    return (
      <p class="hint">
        {isOpen
          ? 'Choose a range with a beginning and an end to compare it.'
          : 'This range cannot be compared.'}
      </p>
    );
  }
  const percent = differenceOf(whole, before.whole);
  return (
    <p class="comparison">
      <strong>{figureOrNone(whole)}</strong> against <strong>{figureOrNone(before.whole)}</strong> in the
      period before
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

/** The difference in percent, where there is one: of a figure below zero it would mislead. */
function differenceOf(now: MaybeFigure, then: MaybeFigure): string | undefined {
  return now === null || then === null || then < 0 ? undefined : percentText(now, then);
}
