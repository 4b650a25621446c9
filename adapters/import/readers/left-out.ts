/** Counts what readers do not take into events, so that nothing is left out silently. */
export interface LeftOut {
  /** Counts cells, fields or files of a kind; `what` names the kind and its place. */
  add(what: string, count?: number): void;
  /** Each kind with its count, in the order in which they were met. */
  kinds(): readonly LeftOutKind[];
}

/** What was left out of one kind. */
export interface LeftOutKind {
  /** In words: `column x of event_data.csv`. */
  readonly what: string;
  /** How many values of it. */
  readonly count: number;
}

/** A file of a stranger may have any number of columns. */
const KINDS_MAX = 50;
const OTHERS = 'other values';

/** Makes a count that keeps a bounded number of kinds. */
export function createLeftOut(): LeftOut {
  const counts = new Map<string, number>();
  return {
    add(what, count = 1) {
      const kind = counts.has(what) || counts.size < KINDS_MAX ? what : OTHERS;
      counts.set(kind, (counts.get(kind) ?? 0) + count);
    },
    kinds: () => [...counts].map(([what, count]) => ({ what, count })),
  };
}
