import { resultOf } from '../file/trouble.ts';

/** What a kind of finding means for who asks the file. */
type Meaning = Pick<FileFinding, 'matters' | 'effect' | 'repair'>;

/** The kinds of findings. */
const FINDINGS = {
  damagedPage: {
    matters: true,
    repair: 'newFile',
    effect: 'what needs this part fails, or its answers lack events',
  },
  indexes: {
    matters: true,
    repair: 'here',
    effect: 'answers that use this index may lack events',
  },
  unreadableEvents: {
    matters: true,
    repair: 'newFile',
    effect: 'questions that need these events fail',
  },
  changedEvents: {
    matters: true,
    repair: 'newFile',
    effect: 'no client can have sent them like this, and questions that need them fail or answer wrongly',
  },
  missingEvents: {
    matters: true,
    repair: 'newFile',
    effect: 'questions to this tenant fail; only a backup has these events',
  },
  uncountedEvents: {
    matters: true,
    repair: 'here',
    effect: 'answers lack them, and the tenant takes no new events',
  },
  logSizes: {
    matters: true,
    repair: 'here',
    effect: 'questions or batches of this tenant fail',
  },
  foreignParts: {
    matters: true,
    repair: 'here',
    effect: 'it may change or refuse what a server writes and reads',
  },
  returnedEvents: {
    matters: false,
    repair: 'here',
    effect: 'no answer has them, but they are in the file although they were erased',
  },
  erasures: {
    matters: true,
    repair: 'newFile',
    effect: 'counts are wrong, questions to this tenant fail, or erased events are answered',
  },
  eventNames: {
    matters: true,
    repair: 'here',
    effect: 'the list of event names is wrong',
  },
  columns: {
    matters: false,
    repair: 'here',
    effect: 'a server does not believe it and reads the events instead, which takes longer',
  },
  columnSizes: {
    matters: false,
    repair: 'here',
    effect: 'columns take more or less of the disk than they may',
  },
  eventsWithoutLog: {
    matters: true,
    repair: 'newFile',
    effect: 'no answer has them, and nothing says whose they are',
  },
  logWithoutTenant: {
    matters: true,
    repair: 'newFile',
    effect: 'nobody can ask for its events',
  },
  damagedRows: {
    matters: true,
    repair: 'newFile',
    effect: 'requests that need them fail',
  },
  documentsWithoutTenant: {
    matters: false,
    repair: 'here',
    effect: 'nobody can use them',
  },
  documentNames: {
    matters: true,
    repair: 'here',
    effect: 'requests do not find a tenant or a key that is there, or find one by what is not its own',
  },
} as const satisfies Record<string, Meaning>;

/** One thing that is wrong with a file. */
export interface FileFinding {
  /** Which kind of damage it is. */
  readonly kind: keyof typeof FINDINGS;
  /** Where it is and what it is, as the beginning of a sentence. */
  readonly message: string;
  /** The tenant that it concerns, where it is one. */
  readonly tenantId?: string;
  /** Whether answers may be wrong, incomplete or missing. */
  readonly matters: boolean;
  /** The consequence, as the end of a sentence. */
  readonly effect: string;
  /**
   * How it is repaired. `here`: it can be rebuilt in this file. `newFile`: what is readable can be saved in
   * a new file.
   */
  readonly repair: 'here' | 'newFile';
}

/** Makes a finding. */
export function toFinding(kind: FileFinding['kind'], message: string, tenantId?: string): FileFinding {
  return { kind, message, ...FINDINGS[kind], ...(tenantId !== undefined && { tenantId }) };
}

/** The results of the engine that say nothing of what is in the file. */
const NOT_NOW = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_NOMEM', 'SQLITE_INTERRUPT', 'SQLITE_CANTOPEN'];

/** Why something cannot be read, from what was thrown; throws it again where damage is not the reason. */
export function damageOf(error: unknown): string {
  const result = resultOf(error);
  if (result !== undefined && NOT_NOW.includes(result)) throw error;
  // The sentence for people who ask a server says what to do; here that stands beside the finding.
  const engine = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (engine instanceof Error ? engine.message : String(engine)).replaceAll('\n', ' ');
}
