/** What the cells of a column are. Nothing in a CSV file tells the text `5` from the number. */
export const CELL_TYPES = ['text', 'number', 'boolean', 'json'] as const;
/** One of `CELL_TYPES`. */
export type CellType = (typeof CELL_TYPES)[number];

/** The signs that may stand before the fraction of a number. */
export const DECIMALS = [',', '.'] as const;
/** One of `DECIMALS`. */
export type Decimal = (typeof DECIMALS)[number];

/**
 * Where a part of an event comes from: a column of a table or a path of JSON, several that `+` joins, or the
 * same text for every row.
 */
export type CellSource =
  | string
  | {
      /** The text. */
      readonly constant: string;
    };

/** What a file may not say of itself. The proposal of an `ImportError` holds it, too. */
export interface FileLayout {
  /** Where the events are within an object of JSON: keys separated by dots. */
  readonly list?: string;
  /**
   * Which column is which field, for a file of no known format: `{ eventName: 'type', userId: ['account',
   * 'visitor', { constant: 'anonymous' }], eventTs: 'date+time', 'properties.plan': 'tier' }`. The first
   * source that holds a value counts. Any other column is a property of its own name.
   */
  readonly map?: Readonly<Record<string, CellSource | readonly CellSource[]>>;
  /** What columns hold that are not text; goes with `map`. */
  readonly types?: Readonly<Record<string, CellType>>;
  /** The sign before fractions; numbers may have separators of thousands then. Goes with `map`. */
  readonly decimal?: Decimal;
  /** How times are written that are not ISO 8601: `DD.MM.YYYY[ HH:mm]`. Goes with `map`. */
  readonly dateFormat?: string;
  /** The IANA zone of times that name none, for instance `Europe/Berlin`. */
  readonly timeZone?: string;
  /** How a text is written, if not in UTF-8: `windows-1252`. */
  readonly encoding?: string;
}

/** An option that messages name. */
export type NamedOption = keyof FileLayout | 'from' | 'epoch';

/** How messages write options, for a program that calls them otherwise: `--time-zone`. */
export interface OptionWords {
  /** An option: `timeZone`, in backquotes. */
  readonly option: (name: NamedOption) => string;
  /** How `map` takes a text for every row. */
  readonly constant: string;
}

/** As a program writes them that calls this library. */
export const OPTION_WORDS: OptionWords = {
  option: (name) => `\`${name}\``,
  constant: "{ constant: 'order' }",
};
