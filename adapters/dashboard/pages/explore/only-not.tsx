import type { Filter } from '../../../../src/index.ts';
import { askFor } from './filter/ask-for.ts';

interface OnlyNotProps {
  /** The subject, which the accessible name of each button adds after its word. */
  readonly name: string;
  /** Absent where the value itself filters for it. */
  readonly only?: Filter | undefined;
  readonly not: Filter;
  /** The visible text of the buttons after their word. */
  readonly what?: string;
}

/** Two buttons: one filters for a value, the other excludes it. */
export function OnlyNot({ name, only, not, what = '' }: OnlyNotProps) {
  const buttons = [...(only === undefined ? [] : [['only', only] as const]), ['not', not] as const];
  return (
    <>
      {buttons.map(([word, filter]) => (
        <button
          key={word}
          type="button"
          class="small"
          aria-label={`${word}${what}: ${name}`}
          onClick={() => askFor(filter)}
        >
          {only === undefined ? '≠' : word + what}
        </button>
      ))}
    </>
  );
}
