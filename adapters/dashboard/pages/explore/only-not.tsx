import type { Filter } from '../../../../src/index.ts';
import { place } from '../address/place.ts';
import { addFilter } from '../address/question.ts';

interface OnlyNotProps {
  /** What it is about, which the name of each button says behind its word. */
  readonly name: string;
  readonly only: Filter;
  readonly not: Filter;
  /** What the buttons say behind their word. */
  readonly what?: string;
}

/** Asks for what has a value, or for what has it not. */
export function OnlyNot({ name, only, not, what = '' }: OnlyNotProps) {
  const buttons = [
    ['only', only],
    ['not', not],
  ] as const;
  return (
    <>
      {buttons.map(([word, filter]) => (
        <button
          key={word}
          type="button"
          class="small"
          aria-label={`${word}${what}: ${name}`}
          onClick={() => addFilter(place.value.parameters, filter)}
        >
          {word + what}
        </button>
      ))}
    </>
  );
}
