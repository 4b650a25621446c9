/** A time in which the clock of a zone is a fixed distance ahead of UTC. */
export interface ZonePiece {
  /** Its first instant, epoch milliseconds; `-Infinity` where no earlier one is known. */
  readonly from: number;
  /** The first instant after it; `Infinity` where no later one is known. */
  readonly until: number;
  /** What its clock shows minus UTC, in milliseconds. */
  readonly offset: number;
}

/** A time zone, as far as time is cut by it. */
export interface TimeZone {
  /** Its name, as it was asked for. */
  readonly name: string;
  /**
   * The piece that an instant lies in. Pieces that touch may have the same offset. Before 1970 and after
   * 2099, where no event is, the clock stays as it is there.
   */
  pieceAt(instant: number): ZonePiece;
}

const ALWAYS_UTC: ZonePiece = { from: -Infinity, until: Infinity, offset: 0 };

/** The zone of bodies that name none. */
export const UTC: TimeZone = { name: 'UTC', pieceAt: () => ALWAYS_UTC };

const DAY_MS = 86_400_000;

/**
 * The time between two looks at a clock. No zone has changed its clock twice in so few days: the nearest two
 * changes since 1970 are 167 hours apart.
 */
const STEP_MS = 3 * DAY_MS;
/** The weeks and months in which the first and the last possible event lie are within these steps. */
const FIRST = Date.UTC(1969, 10, 1);
const STEPS = Math.ceil((Date.UTC(2100, 2, 1) - FIRST) / STEP_MS);
/** Stands for an offset at which nobody has looked: no zone is a day ahead. */
const UNKNOWN = DAY_MS;

/** How Intl writes an offset: `GMT`, `GMT+05:30`, `GMT-00:44:30`. */
const OFFSET_PATTERN = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Reads the pieces of a zone of this runtime; undefined if the runtime lacks it. A look takes about two
 * microseconds and is remembered, so an event takes none.
 */
export function readPieces(name: string): TimeZone['pieceAt'] | undefined {
  const format = formatOf(name);
  if (format === undefined) return undefined;
  const offsets = new Int32Array(STEPS + 1).fill(UNKNOWN);
  const changes = new Map<number, number>();

  function offsetAt(step: number): number {
    if (offsets[step] === UNKNOWN) offsets[step] = lookAt(format!, FIRST + step * STEP_MS);
    return offsets[step]!;
  }

  /** The first instant of a step at which the clock has changed; clocks change at whole seconds. */
  function changeIn(step: number, offset: number): number {
    let [same, other] = [FIRST + step * STEP_MS, FIRST + (step + 1) * STEP_MS];
    while (other - same > 1000) {
      const middle = Math.floor((same + other) / 2000) * 1000;
      if (lookAt(format!, middle) === offset) same = middle;
      else other = middle;
    }
    changes.set(step, other);
    return other;
  }

  return (instant) => {
    const step = Math.floor((instant - FIRST) / STEP_MS);
    if (step < 0) return { from: -Infinity, until: FIRST, offset: offsetAt(0) };
    const from = FIRST + step * STEP_MS;
    if (step >= STEPS) return { from: FIRST + STEPS * STEP_MS, until: Infinity, offset: offsetAt(STEPS) };
    const [offset, next] = [offsetAt(step), offsetAt(step + 1)];
    if (offset === next) return { from, until: from + STEP_MS, offset };
    const change = changes.get(step) ?? changeIn(step, offset);
    if (instant < change) return { from, until: change, offset };
    return { from: change, until: from + STEP_MS, offset: next };
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, year: 'numeric', timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

function lookAt(format: Intl.DateTimeFormat, instant: number): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET_PATTERN.exec(format.format(instant)) ?? [];
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}
