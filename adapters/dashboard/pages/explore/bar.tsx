import type { ComponentChildren } from 'preact';
import { figure, shareText } from '../parts/figure.ts';
import { Swatch } from './chart-words.tsx';
import { PARTS_MAX } from './series.ts';

interface BarProps {
  readonly text: ComponentChildren;
  readonly count: number;
  /** The count of the longest bar; absent for a row that is no group, which has no bar. */
  readonly largest?: number;
  /** The count of which the row says its share; absent if it says none. */
  readonly total?: number;
  readonly users?: number | undefined;
  /** How it differs from the period before, in words; absent if it is not compared. */
  readonly change?: string | undefined;
  /** The place among the groups, by which the chart colors the first of them. */
  readonly place?: number;
  readonly children?: ComponentChildren;
}

/** A group: its value, its number of events as a figure and as a bar, and what to do with it. */
export function Bar({ text, count, largest, total, users, change, place, children }: BarProps) {
  const details = [
    ...(total === undefined ? [] : [shareText(count, total)]),
    ...(users === undefined ? [] : [`${figure(users)} ${users === 1 ? 'user' : 'users'}`]),
  ];
  return (
    <li class={largest === undefined ? 'other' : ''}>
      <span class="bar-text">
        {place !== undefined && <Swatch of={place < PARTS_MAX ? `part-${place}` : 'rest'} />}
        <bdi {...(typeof text === 'string' ? { title: text } : {})}>{text}</bdi>
      </span>
      <span class="bar-figure">{figure(count)}</span>
      <span class="bar-acts">{children}</span>
      {largest === undefined ? (
        <span />
      ) : (
        <svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width={(count / Math.max(largest, 1)) * 100} height="1" />
        </svg>
      )}
      <span class="bar-details muted">{details.join(' · ')}</span>
      {change !== undefined && <span class="bar-change muted">{change}</span>}
    </li>
  );
}
