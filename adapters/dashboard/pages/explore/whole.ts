import type { Chunk } from './chunk.ts';

/**
 * Passes a file on without its last line, which says that it is the last, and fails where that line is
 * missing: how an answer ends does not tell whether the server had said all.
 */
export function whole(lastLine: string): TransformStream<Chunk, Chunk> {
  const expected = new TextEncoder().encode(lastLine);
  /** The end of what has come, which may be the last line. */
  let held: Chunk = new Uint8Array();
  return new TransformStream({
    transform: (chunk, controller) => {
      const all = new Uint8Array(held.length + chunk.length);
      all.set(held);
      all.set(chunk, held.length);
      const end = Math.max(0, all.length - expected.length);
      if (end > 0) controller.enqueue(all.slice(0, end));
      held = all.slice(end);
    },
    flush: (controller) => {
      const isWhole = held.length === expected.length && held.every((byte, i) => byte === expected[i]);
      if (!isWhole)
        controller.error(new Error('The answer broke off, so the file is incomplete. Try again.'));
    },
  });
}
