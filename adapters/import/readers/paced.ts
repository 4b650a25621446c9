/** How many bytes are handed on between two turns of the event loop: as lines, some ten thousand at most. */
const PIECE_BYTES = 65_536;

/**
 * Hands bytes on in pieces, with a turn of the event loop between them: a few bytes may unpack to millions of
 * lines, and a signal must be heard while they are read. Throws the reason of `aborted` then.
 */
export async function* paced(source: AsyncIterable<Buffer>, aborted: AbortSignal): AsyncGenerator<Buffer> {
  let sinceTurn = 0;
  for await (const chunk of source) {
    for (let i = 0; i < chunk.length; i += PIECE_BYTES) {
      const piece = chunk.subarray(i, i + PIECE_BYTES);
      // Chunks that wait already come without a turn between them.
      sinceTurn += piece.length;
      if (sinceTurn > PIECE_BYTES) {
        await new Promise((resolve) => setImmediate(resolve));
        sinceTurn = piece.length;
      }
      aborted.throwIfAborted();
      yield piece;
    }
  }
}
