import { computed, signal } from '@preact/signals';

/** A question of the page that has failed. */
interface Failure {
  readonly error: string;
  /** Asks it again. */
  readonly again: () => void;
  /** The instant of the answer that the page still shows; undefined if it shows none. */
  readonly asOf: number | undefined;
}

/** A reason that the top of the page says. */
interface SharedError {
  readonly error: string;
  /** The oldest instant of what is still shown; undefined if nothing is. */
  readonly asOf: number | undefined;
}

const failures = signal<readonly Failure[]>([]);
/** The reason whose questions the user asks again. It stays on the page until their answers are there. */
export const retried = signal<string | undefined>(undefined);

/** Notes a failed question. Returns a function to call when the question is asked again or left. */
export function noteFailure(failure: Failure): () => void {
  failures.value = [...failures.peek(), failure];
  return () => (failures.value = failures.peek().filter((each) => each !== failure));
}

/**
 * The reasons for which several questions failed, or for which something is still of before. The page says
 * each of them once, at its top.
 */
export const sharedErrors = computed<readonly SharedError[]>(() => {
  const shared = sharedIn(failures.value);
  const kept = retried.value;
  if (kept === undefined || shared.some(({ error }) => error === kept)) return shared;
  return [...shared, { error: kept, asOf: undefined }];
});

function sharedIn(failed: readonly Failure[]): readonly SharedError[] {
  const reasons = new Set(failed.map(({ error }) => error));
  return [...reasons].flatMap((error) => {
    const all = failed.filter((each) => each.error === error);
    const instants = all.flatMap(({ asOf }) => asOf ?? []);
    const asOf = instants.length === 0 ? undefined : Math.min(...instants);
    return all.length > 1 || asOf !== undefined ? [{ error, asOf }] : [];
  });
}

/** Whether the page's top says an error, so that no other place has to. */
export const isShared = (said: string): boolean => sharedErrors.value.some(({ error }) => error === said);

/** Asks all questions again that failed for a reason. */
export function retryAll(error: string): void {
  retried.value = error;
  for (const failure of failures.peek()) if (failure.error === error) failure.again();
}
