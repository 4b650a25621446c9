import { useState } from 'preact/hooks';

/** What came of something that was asked for. */
export interface Said {
  readonly kind: 'error' | 'good';
  readonly text: string;
}

/** Says what came of it. */
type Say = (kind: Said['kind'], text: string) => void;

/**
 * What was said last, and the way to say it. It is said of what there was when it was asked for, and is not
 * true of anything else: while there is another subject, nothing is said.
 */
export function useSaid(...subject: readonly unknown[]): readonly [said: Said | undefined, say: Say] {
  const [last, setLast] = useState<Said & { readonly subject: readonly unknown[] }>();
  const isTrue = last?.subject.every((each, i) => each === subject[i]);
  return [isTrue === true ? last : undefined, (kind, text) => setLast({ kind, text, subject })];
}
