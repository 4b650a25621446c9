import type { Pacer } from '../bounds/scheduler.ts';
import type { Stream, StreamsPiece } from '../query/streams.ts';

/** Puts an answer together from streams. */
export interface StreamsFold<T> {
  /** Adds what the streams of a piece tell. */
  add(piece: StreamsPiece, pacer: Pacer): Promise<void>;
  /** The answer, once all pieces were added. */
  finish(pacer: Pacer): T | Promise<T>;
}

/** What a fold does with each stream, and how it ends. */
interface FoldSteps<T> {
  readonly count: (stream: Stream, pacer: Pacer) => void | Promise<void>;
  /** `missing` is how many events were in no stream. */
  readonly finish: (missing: number, pacer: Pacer) => T | Promise<T>;
}

/** Makes a fold that looks at one stream after the other, with pauses. */
export function createFold<T>({ count, finish }: FoldSteps<T>): StreamsFold<T> {
  let missing = 0;
  return {
    async add(piece, pacer) {
      missing += piece.missing;
      for (const stream of piece.streams) {
        const pause = pacer.yieldIfDue();
        if (pause !== undefined) await pause;
        const counting = count(stream, pacer);
        if (counting !== undefined) await counting;
      }
    },
    finish: (pacer) => finish(missing, pacer),
  };
}
