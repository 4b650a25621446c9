import fc from 'fast-check';
import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { unpack } from '../../../../adapters/import/readers/gzip.ts';
import { chunksOf, gather } from '../gathered.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

/** What the header of a member may say besides what Node writes (RFC 1952). */
const headers = fc.record(
  {
    extra: fc.uint8Array({ maxLength: 30 }),
    name: fc.stringMatching(/^[\x20-\xff]{0,20}$/),
    comment: fc.stringMatching(/^[\x20-\xff]{0,20}$/),
    hasChecksum: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** A member with such a header, as tools write it that keep names, comments or a checksum. */
function toMember(content: Uint8Array, header: typeof headers extends fc.Arbitrary<infer T> ? T : never) {
  const { extra, name, comment, hasChecksum = false } = header;
  const packed = gzipSync(content);
  const flags =
    (hasChecksum ? 2 : 0) |
    (extra === undefined ? 0 : 4) |
    (name === undefined ? 0 : 8) |
    (comment === undefined ? 0 : 16);
  const texts = [name, comment].flatMap((text) =>
    text === undefined ? [] : [Buffer.from(`${text}\0`, 'latin1')],
  );
  const fields = extra === undefined ? [] : [Buffer.of(extra.length, 0), extra];
  const head = Buffer.concat([
    packed.subarray(0, 3),
    Buffer.of(flags),
    packed.subarray(4, 10),
    ...fields,
    ...texts,
  ]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc32(head) & 0xffff);
  return Buffer.concat([head, ...(hasChecksum ? [checksum] : []), packed.subarray(10)]);
}

describe('unpack', () => {
  it('reports a read error with the words of the system', async () => {
    async function* source() {
      yield await Promise.resolve(gzipSync('x'.repeat(1000)).subarray(0, 15));
      throw Object.assign(new Error('i/o error, read'), { code: 'EIO' });
    }
    await expect(gather(unpack(source()))).rejects.toThrow(/^i\/o error, read$/);
  });

  it('passes plain bytes on and unpacks gzip, however they are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        sizes,
        async (content, packed, cuts) => {
          const plain = Buffer.from([0x7b, ...content]);
          const bytes = packed ? gzipSync(plain) : plain;
          expect(Buffer.concat(await gather(unpack(chunksOf(bytes, cuts))))).toEqual(plain);
        },
      ),
    );
    expect(await gather(unpack(chunksOf(Buffer.alloc(0), [1])))).toEqual([]);
  });

  it.each([[1], [2], [1, 1], [1, 40]])('unpacks gzip whose first pieces are of %j bytes', async (...cuts) => {
    const plain = Buffer.from('{"eventName":"a"}\n');
    const chunks = chunksOf(gzipSync(plain), [...cuts, 65_536]);
    expect(Buffer.concat(await gather(unpack(chunks)))).toEqual(plain);
  });

  it('passes on everything before the early end of gzip, wherever that is', async () => {
    const plain = Buffer.from(
      Array.from({ length: 20_000 }, (_, i) => `${Math.imul(i, 2_654_435_761)}`).join('\n'),
    );
    const whole = gzipSync(plain);
    for (const length of [20, 5000, whole.length - 9, whole.length - 1]) {
      const got: Buffer[] = [];
      const reading = async () => {
        for await (const chunk of unpack(chunksOf(whole.subarray(0, length), [65_536]))) got.push(chunk);
      };
      await expect(reading()).rejects.toThrow('the gzip data ends too early');
      const bytes = Buffer.concat(got);
      expect(plain.subarray(0, bytes.length).equals(bytes)).toBe(true);
      expect(bytes.length / plain.length).toBeGreaterThanOrEqual((length - 5000) / whole.length);
    }
  });

  it('unpacks several members with any header, and zero bytes between and behind them', async () => {
    const member = fc.tuple(fc.uint8Array({ maxLength: 50 }), fc.nat(70), headers);
    await fc.assert(
      fc.asyncProperty(fc.array(member, { minLength: 1, maxLength: 4 }), sizes, async (members, cuts) => {
        const bytes = Buffer.concat(
          members.flatMap(([content, zeros, header]) => [toMember(content, header), Buffer.alloc(zeros)]),
        );
        const plain = Buffer.concat(members.map(([content]) => content));
        for (const each of [cuts, [65_536]])
          expect(Buffer.concat(await gather(unpack(chunksOf(bytes, each))))).toEqual(plain);
      }),
    );
  });

  it.each([[0], [1], [20_000]])('says that %i zero bytes and something else follow it', async (zeros) => {
    const got: Buffer[] = [];
    const bytes = Buffer.concat([gzipSync('held'), Buffer.alloc(zeros), Buffer.from('garbage')]);
    const reading = async () => {
      for await (const chunk of unpack(chunksOf(bytes, [65_536]))) got.push(chunk);
    };
    await expect(reading()).rejects.toThrow(/something that is not gzip follows it/);
    expect(Buffer.concat(got).toString()).toBe('held');
  });
});
