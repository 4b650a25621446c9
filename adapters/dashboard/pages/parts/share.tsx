import { figure, shareText } from './figure.ts';

interface ShareProps {
  readonly count: number;
  readonly total: number;
}

/** A share as a figure and as a bar, with its count. */
export function Share({ count, total }: ShareProps) {
  return (
    <span class="share">
      <strong>{shareText(count, total)}</strong> <span class="muted">{figure(count)}</span>
      <svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={total === 0 ? 0 : Math.min(1, count / total) * 100} height="1" />
      </svg>
    </span>
  );
}
