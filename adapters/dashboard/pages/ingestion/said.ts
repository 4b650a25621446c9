import { useState } from 'preact/hooks';

/** The outcome of an action. */
export interface Said {
  readonly kind: 'error' | 'good';
  readonly text: string;
}

/** Shows the outcome of an action. */
type Say = (kind: Said['kind'], text: string) => void;

/**
 * The last outcome, and a function that sets it. An outcome belongs to the subject for which the action ran:
 * while the subject is another one, it is undefined.
 */
export function useSaid(...subject: readonly unknown[]): readonly [said: Said | undefined, say: Say] {
  const [last, setLast] = useState<Said & { readonly subject: readonly unknown[] }>();
  const isTrue = last?.subject.every((each, i) => each === subject[i]);
  return [isTrue === true ? last : undefined, (kind, text) => setLast({ kind, text, subject })];
}
