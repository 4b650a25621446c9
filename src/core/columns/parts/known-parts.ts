import type { Path } from '../../filter/path.ts';
import type { Column } from '../column/column.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { Order } from '../order/order.ts';

/** The parts that an index has now. They are undefined until a question needs them. */
export interface KnownParts {
  column(path: Path): Column | undefined;
  /** The paths that have a column. */
  readonly paths: () => readonly Path[];
  readonly order: () => Order | undefined;
  readonly idHashes: () => IdHashes | undefined;
}
