import { createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkControl, faultsOf } from './target/checks.ts';
import { errorOf, post } from './target/post.ts';
import { startTarget, type Target } from './target/target.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());

const MEBIBYTE = 1_048_576;
const BOMB = { 'Content-Encoding': 'gzip' };
const EVENT = '[{"eventName":"zipped","userId":"u"}]';

/** A body that unpacks to so many zeros, made in pieces so that the attacker needs no memory either. */
async function zeros(mebibytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 9 });
  const parts: Buffer[] = [];
  gzip.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => gzip.once('end', resolve));
  const piece = Buffer.alloc(MEBIBYTE);
  for (let i = 0; i < mebibytes; i++) {
    if (!gzip.write(piece)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  gzip.end();
  await ended;
  return Buffer.concat(parts);
}

/**
 * A body that unpacks to 10 GiB and has 10 MiB itself: a stream of gzip may have many members, and each of 64
 * MiB of zeros is the same bytes.
 */
async function tenGibibytes(): Promise<Buffer> {
  const member = await zeros(64);
  return Buffer.concat(Array<Buffer>(160).fill(member));
}

const member = gzipSync(EVENT);
const corrupt = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0xff;
  return copy;
};

describe('bombs', () => {
  it('of 10 GiB are refused while they unpack, and memory stays bounded', async () => {
    const bomb = await tenGibibytes();
    expect(bomb.length).toBeLessThan(10_485_760);
    const before = target.peakBytes();
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(target, 'ingest', bomb, BOMB)));
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
    expect(answers.map(errorOf)).toEqual(answers.map(() => 'The body is too large: at most 10485760 bytes'));
    await checkControl(target);
    // Four bodies of 10 MiB and what they unpacked to until they were noticed; 40 GiB it is not.
    expect(target.peakBytes() - before).toBeLessThan(500 * MEBIBYTE);
  });

  it.each(['query', 'count'] as const)('are noticed at 256 KiB in a %s', async (place) => {
    const answer = await post(target, place, await zeros(64), BOMB);
    expect(errorOf(answer)).toBe('The body is too large: at most 262144 bytes');
    await checkControl(target);
  });
});

describe('gzip that is bent', () => {
  it.each<[string, () => Uint8Array, number]>([
    ['whole', () => member, 200],
    ['in two members', () => Buffer.concat([gzipSync(EVENT.slice(0, 9)), gzipSync(EVENT.slice(9))]), 200],
    ['in 20,000 members', () => Buffer.concat([member, ...Array<Buffer>(20_000).fill(gzipSync(''))]), 200],
    ['packed twice', () => gzipSync(member), 400],
    ['a bomb packed twice', () => gzipSync(gzipSync(Buffer.alloc(8 * MEBIBYTE))), 400],
    ['cut off', () => member.subarray(0, -9), 400],
    ['without its checksum', () => member.subarray(0, -8), 400],
    ['with only a header', () => member.subarray(0, 10), 400],
    ['with half a header', () => member.subarray(0, 5), 400],
    ['empty', () => Buffer.alloc(0), 400],
    ['with a wrong checksum', () => corrupt(member, -8), 400],
    ['with a wrong length', () => corrupt(member, -1), 400],
    ['with a wrong method', () => corrupt(member, 2), 400],
    ['with a wrong start', () => corrupt(member, 0), 400],
    ['with wrong data', () => corrupt(member, 14), 400],
    ['and garbage', () => Buffer.concat([member, Buffer.from('garbage')]), 400],
    ['and zeros', () => Buffer.concat([member, Buffer.alloc(100)]), 400],
    ['and plain events', () => Buffer.concat([member, Buffer.from(EVENT)]), 400],
    ['and half a member', () => Buffer.concat([member, member.subarray(0, 12)]), 400],
    ['not packed at all', () => Buffer.from(EVENT), 200],
    ['deflate instead', () => deflateSync(EVENT), 400],
    ['of nothing', () => gzipSync(''), 400],
    ['of overlong UTF-8', () => gzipSync(Buffer.from([0x22, 0xc0, 0xaf, 0x22])), 400],
  ])('%s', async (_name, make, status) => {
    const answer = await post(target, 'ingest', make(), BOMB);
    expect(answer.status).toBe(status);
    expect(faultsOf(answer, target)).toEqual([]);
    await checkControl(target);
  });

  it.each(['deflate', 'br', 'zstd', 'gzip, gzip', 'identity, gzip', 'GZIP, br', 'gzip;q=1', '__proto__'])(
    'under the name %s is refused',
    async (encoding) => {
      const answer = await post(target, 'ingest', member, { 'Content-Encoding': encoding });
      expect(answer.status).toBe(415);
      expect(faultsOf(answer, target)).toEqual([]);
    },
  );
});
