import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { figure } from './figure.ts';

/** How many entries of a list are drawn at first, and how many more with each click. */
export const FIRST_MAX = 100;
const MORE = 500;

/** The first entries of a list, and the button for more; undefined if there are none. */
interface First<T> {
  readonly shown: readonly T[];
  readonly more: ComponentChild;
}

/** Draws a list of any length piece by piece, because a page is drawn in one go. */
export function useFirst<T>(all: readonly T[], what: string, first = FIRST_MAX): First<T> {
  const [most, setMost] = useState(first);
  const left = all.length - most;
  const next = Math.min(left, MORE);
  return {
    shown: all.slice(0, most),
    more: left > 0 && (
      <p class="more">
        <button type="button" class="small" onClick={() => setMost(most + MORE)}>
          Show {figure(next)} more
        </button>{' '}
        <span class="muted">
          {figure(all.length - left)} of {figure(all.length)} {what}
        </span>
      </p>
    ),
  };
}
