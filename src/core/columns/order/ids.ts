import type { Reservation } from '../../bounds/memory-budget.ts';
import { readAllValues, type EventLog } from '../log/log.ts';
import { FEW_IDS } from '../log/sizes.ts';
import { INSERT_ID } from './sorted-rows.ts';

/** About how many bytes an id takes. */
const ID_BYTES = 80;

/**
 * Makes a function that reads the ids of consecutive rows, counted from the first of them, where few or many
 * events share an instant. Reading one costs as much as reading thirty together, so after `FEW_IDS` of them
 * all are read, if there is memory. No erased row is asked for.
 */
export function createIds(
  log: EventLog,
  { first, length }: { readonly first: number; readonly length: number },
  reservation: Pick<Reservation, 'reserve'>,
): (local: number) => string {
  let reads = 0;
  let all: readonly string[] | undefined;
  return (local) => {
    reads += 1;
    if (reads === FEW_IDS && reservation.reserve(length * ID_BYTES))
      all = readAllValues(log, INSERT_ID, first, first + length) as readonly string[];
    return all === undefined ? log.insertIdAt(first + local) : all[local]!;
  };
}
