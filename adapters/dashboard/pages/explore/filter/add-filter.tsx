import type { FilterEntry } from '../../../../../src/index.ts';
import { Icon } from '../../parts/icon.tsx';
import { NEW_FILTER } from './comparisons.ts';

interface AddProps {
  readonly onAdd: (entry: FilterEntry) => void;
}

/** The button that adds an empty filter. */
export function AddFilter({ onAdd }: AddProps) {
  return (
    <button type="button" class="small add-filter" onClick={() => onAdd(NEW_FILTER)}>
      <Icon name="plus" /> Filter
    </button>
  );
}

/** The button that adds a group with an empty filter. */
export function AddGroup({ onAdd }: AddProps) {
  return (
    <button type="button" class="small ghost" onClick={() => onAdd({ anyOf: [NEW_FILTER] })}>
      <Icon name="plus" /> Any of…
    </button>
  );
}
