import type { Path } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { Order } from '../order/order.ts';

/** The parts of an index that there are, undefined for those that are not. */
export interface KnownParts {
  column(path: Path): Column | undefined;
  /** Of which there is a column. */
  readonly paths: () => readonly Path[];
  readonly order: () => Order | undefined;
  readonly idHashes: () => IdHashes | undefined;
}
