/** The first bytes of a source, and all of its bytes, the first ones too. */
export interface Peeked {
  readonly head: Buffer;
  readonly all: AsyncIterable<Buffer>;
}

/** Reads from a source until `isEnough` of what it has read, and yet loses none of it. */
export async function peek(
  source: AsyncIterable<Buffer>,
  isEnough: (head: Buffer) => boolean,
): Promise<Peeked> {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (!isEnough(head)) {
    const step = await chunks.next();
    if (step.done === true) break;
    head = head.length === 0 ? step.value : Buffer.concat([head, step.value]);
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (let step = await chunks.next(); step.done !== true; step = await chunks.next()) yield step.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { head, all: all() };
}
