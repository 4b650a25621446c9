import { isApiError } from '../../src/index.ts';
import { EPOCH_UNITS, type EpochUnit } from '../../src/internal.ts';
import { misfit } from './base/errors.ts';
import {
  CELL_TYPES,
  DECIMALS,
  OPTION_WORDS,
  type CellSource,
  type FileLayout,
  type OptionWords,
} from './base/options.ts';
import { IMPORT_FORMATS, type ImportFormat } from './formats.ts';
import { compileDateFormat } from './mappings/date-format.ts';
import { isTimeZone } from './mappings/instants.ts';
import type { SourceOptions } from './read-source.ts';
import type { LeftOut } from './readers/left-out.ts';

/** How a file is read. Each may be left out: what a file is, its content says. */
export interface ImportOptions extends FileLayout {
  /** What the file is, where its content does not say it. */
  readonly from?: ImportFormat;
  /** What numbers count since 1970. Default: what makes a time from 1990 on. */
  readonly epoch?: EpochUnit;
  /** Goes into the hashes that stand for clients in access logs, so that they cannot be guessed. */
  readonly salt?: string;
  /** Ends reading: what it rejects with is the signal's reason. */
  readonly signal?: AbortSignal;
  /** Is told what was found: what the file is, how its fields are made, what has no effect. */
  readonly onNote?: (text: string) => void;
  /** Is told how many more bytes of the file were read; of a zip or Parquet file, about how many. */
  readonly onBytes?: (bytes: number) => void;
  /** How messages write options. Default: as they are called here. */
  readonly words?: OptionWords;
}

/** Checks options before a file is there. Throws the ImportError that `readEvents` throws of them. */
export function checkImportOptions(options: ImportOptions): void {
  const { map, from, epoch, decimal, types, timeZone, encoding, words = OPTION_WORDS } = options;
  const oneOf = (name: 'from' | 'epoch' | 'decimal', value: string | undefined, known: readonly string[]) => {
    if (value !== undefined && !known.includes(value))
      throw misfit(`${words.option(name)} takes ${known.join(', ')}, got "${value}"`);
  };
  oneOf('from', from, IMPORT_FORMATS);
  oneOf('epoch', epoch, EPOCH_UNITS);
  oneOf('decimal', decimal, DECIMALS);
  for (const [column, type] of Object.entries(types ?? {}))
    if (!CELL_TYPES.includes(type))
      throw misfit(
        `${words.option('types')} takes ${CELL_TYPES.join(', ')}, got "${type as string}" for ${column}`,
      );
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw misfit(`${words.option('timeZone')} takes a name such as Europe/Berlin or UTC, got "${timeZone}"`);
  if (encoding !== undefined && !isEncoding(encoding))
    throw misfit(
      `${words.option('encoding')} takes a name such as windows-1252, utf-16le or shift_jis, ` +
        `got "${encoding}"`,
    );
  readerOfTimes(options.dateFormat, words);
  const alone = (['types', 'dateFormat', 'decimal'] as const).find((name) => options[name] !== undefined);
  if (alone !== undefined && map === undefined)
    throw misfit(`${words.option(alone)} goes with ${words.option('map')}`);
}

/** The same options as readers take them. */
export function toSourceOptions(options: ImportOptions, leftOut: LeftOut): SourceOptions {
  checkImportOptions(options);
  const { map, types = {}, decimal, dateFormat, words = OPTION_WORDS, ...others } = options;
  const {
    signal = new AbortController().signal,
    onNote: say = ignore,
    onBytes = ignore,
    ...reading
  } = others;
  const readTime = readerOfTimes(dateFormat, words);
  const table = map && {
    map: new Map(Object.entries(map).map(([target, sources]) => [target, listOf(sources)])),
    types: new Map(Object.entries(types)),
    ...(decimal !== undefined && { decimal }),
    words,
  };
  return {
    ...reading,
    ...(readTime && { dateFormat: readTime }),
    ...(table && { table }),
    ...{ leftOut, aborted: signal, say, onBytes, words },
  };
}

const ignore = () => undefined;

const isList = (sources: CellSource | readonly CellSource[]): sources is readonly CellSource[] =>
  Array.isArray(sources);
const listOf = (sources: CellSource | readonly CellSource[]) => (isList(sources) ? sources : [sources]);

function readerOfTimes(format: string | undefined, words: OptionWords): SourceOptions['dateFormat'] {
  try {
    return format === undefined ? undefined : compileDateFormat(format, words);
  } catch (error) {
    throw isApiError(error) ? misfit(error.message) : error;
  }
}

function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}
