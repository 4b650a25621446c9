import type { Filter } from '../../../../src/index.ts';
import { place } from '../place.ts';
import { addFilter } from './state.ts';

interface OnlyNotProps {
  /** What it is about, for who does not see where the buttons stand. */
  readonly name: string;
  readonly only: Filter;
  readonly not: Filter;
  /** What the buttons say behind their word. */
  readonly what?: string;
}

/** Asks for what has a value, or for what has it not. */
export function OnlyNot({ name, only, not, what = '' }: OnlyNotProps) {
  const buttons = [
    ['Only', only],
    ['Not', not],
  ] as const;
  return (
    <>
      {buttons.map(([word, filter]) => (
        <button
          key={word}
          type="button"
          class="small"
          aria-label={`${word} ${name}`}
          onClick={() => addFilter(place.value.parameters, filter)}
        >
          {word.toLowerCase() + what}
        </button>
      ))}
    </>
  );
}
