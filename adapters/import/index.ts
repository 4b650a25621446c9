/**
 * The events of files: our own, exports of other tools, tables and the logs of web servers. The command
 * `import` reads by it, and so may a program.
 */
export { readEvents, type EventReading, type ImportedEvent } from './read-events.ts';
export { toBatches } from './batches.ts';

// What is read, and how.
export { checkImportOptions, type ImportOptions } from './options.ts';
export type { ImportSource } from './read-source.ts';
export { IMPORT_FORMATS, type ImportFormat, type MappedFormat } from './formats.ts';
export {
  DECIMALS,
  type CellSource,
  type CellType,
  type Decimal,
  type FileLayout,
  type NamedOption,
  type OptionWords,
} from './base/options.ts';
export { EPOCH_UNITS, type EpochUnit } from '../../src/internal.ts';
export { LINE_BYTES_MAX } from './readers/lines.ts';
export { REPEATS_WINDOW } from './insert-ids.ts';

// What comes of it.
export { ImportError, type ImportErrorDetails } from './base/errors.ts';
export { createLeftOut, type LeftOut, type LeftOutKind } from './readers/left-out.ts';
export type { RecordUnit } from './readers/records.ts';
