/** A piece of a file. */
export type Chunk = Uint8Array<ArrayBuffer>;
