import { computed, signal } from '@preact/signals';

/** A question of the page that has failed. */
interface Failure {
  readonly error: string;
  /** Asks it again. */
  readonly again: () => void;
}

const failures = signal<readonly Failure[]>([]);
/** The reason whose questions the user asks again. It stays on the page until their answers are there. */
export const retried = signal<string | undefined>(undefined);

/** Notes a failed question. Returns a function to call when the question is asked again or left. */
export function noteFailure(failure: Failure): () => void {
  failures.value = [...failures.peek(), failure];
  return () => (failures.value = failures.peek().filter((each) => each !== failure));
}

/** The reasons for which several questions failed. The page says each of them once, at its top. */
export const sharedErrors = computed<readonly string[]>(() => {
  const errors = failures.value.map(({ error }) => error);
  const isShared = (error: string, i: number) => errors.indexOf(error) === i && errors.lastIndexOf(error) > i;
  const shared = errors.filter(isShared);
  const kept = retried.value;
  return kept === undefined || shared.includes(kept) ? shared : [...shared, kept];
});

/** Whether the page's top says an error, so that no other place has to. */
export const isShared = (error: string): boolean => sharedErrors.value.includes(error);

/** Asks all questions again that failed for a reason. */
export function retryAll(error: string): void {
  retried.value = error;
  for (const failure of failures.peek()) if (failure.error === error) failure.again();
}
