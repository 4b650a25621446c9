import { chunks, heads, methods, pipelines, smuggling } from '../corpus/http.ts';
import { pathCases } from '../corpus/paths.ts';
import { checkControl, faultsIn } from '../target/checks.ts';
import { converse } from '../../support/raw-client.ts';
import { startTarget, type Target } from '../target/target.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { toRow, type Row, type RunOptions } from './report.ts';

/** Pieces that mean something to a parser of HTTP. */
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  ';',
  '\xff',
  '\x80',
  '%00',
  '%2e%2e%2f',
  '0\r\n\r\n',
  'ffffffff\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Connection: close\r\n',
  'Connection: keep-alive, upgrade\r\n',
  'Expect: 100-continue\r\n',
  'Content-Encoding: gzip\r\n',
  'Host: b\r\n',
  ' HTTP/1.1\r\n',
  ' HTTP/1.0\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
  '{"event":',
  '"__proto__"',
  '[[[[[[[[',
];

function mutate(bytes: Buffer, others: readonly Buffer[], random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const until = Math.min(bytes.length, at + random.below(12));
  const piece = Buffer.from(random.pick(PIECES), 'latin1');
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(until)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(until)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)]);
    case 4: {
      const other = random.pick(others);
      return Buffer.concat([bytes.subarray(0, at), other.subarray(random.below(other.length + 1))]);
    }
    case 5:
      return bytes.subarray(0, at);
    default: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = random.below(256);
      return copy;
    }
  }
}

/** The largest input: a case of a megabyte teaches nothing that its first bytes do not. */
const INPUT_BYTES_MAX = 20_000;

function seedsOf(target: Target): Buffer[] {
  const cases = [smuggling, chunks, heads, methods, pipelines, pathCases].flatMap((build) => build(target));
  return cases
    .map(({ bytes }) =>
      Buffer.concat(
        (Array.isArray(bytes) ? bytes : [bytes as string | Buffer]).map((part) =>
          Buffer.from(part as string, 'latin1'),
        ),
      ),
    )
    .filter(({ length }) => length <= INPUT_BYTES_MAX);
}

/**
 * No input holds more requests than request lines, of HTTP/0.9 too; one more answer may say what is wrong.
 */
function answersMax(input: Buffer): number {
  return (input.toString('latin1').match(/[A-Z]+ [^\r\n]*\r?\n/g)?.length ?? 0) + 1;
}

/**
 * Whether the head of the first request is one that two servers could read in two ways. Node skips line ends
 * before a request, half ones too; nobody could take those for a part of it.
 */
function isAmbiguous(input: Buffer): boolean {
  const [head = '', rest] = input
    .toString('latin1')
    .replace(/^[\r\n]+/, '')
    .split('\r\n\r\n', 2);
  if (rest === undefined) return false;
  if (/\0|[^\r]\n|\r[^\n]/.test(head)) return true;
  const count = (name: string) =>
    head.split('\r\n').filter((line) => line.toLowerCase().startsWith(`${name}:`)).length;
  const lengths = count('content-length');
  const codings = count('transfer-encoding');
  return lengths + codings > 1;
}

/** Sends mutated requests over raw sockets and holds every answer to the rules of all answers. */
export async function runFuzz({ quick }: RunOptions): Promise<Row[]> {
  const target = await startTarget();
  const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 1e9);
  const random = createRandom(seed);
  const seeds = seedsOf(target);
  const total = quick ? 2_000 : 40_000;
  const endsAt = Date.now() + (quick ? 30_000 : 300_000);
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  let sent = 0;
  let answered = 0;
  const lane = async () => {
    while (sent < total && wrong.length < 10 && Date.now() < endsAt) {
      sent += 1;
      let input = random.pick(seeds);
      for (let i = random.below(4); i >= 0; i--) input = mutate(input, seeds, random);
      const show = () => JSON.stringify(input.toString('latin1').slice(0, 400));
      try {
        const conversation = await converse(target.port, input, { answers: 0 });
        answered += conversation.answers.length;
        for (const answer of conversation.answers) {
          const status = answer instanceof Error ? 0 : answer.status;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
        // An answer to HEAD has no body, and a mutated method may have become HEAD.
        const faults = input.includes('HEAD') ? [] : faultsIn(conversation, target);
        const [first] = conversation.answers;
        if (isAmbiguous(input) && first !== undefined && !(first instanceof Error) && first.status < 400) {
          faults.push(`status ${first.status} where the request could be read in two ways`);
        }
        if (conversation.answers.length > answersMax(input))
          faults.push(`${conversation.answers.length} answers`);
        wrong.push(...faults.map((fault) => `${fault} to ${show()}`));
        if (sent % 20 === 0) await checkControl(target);
      } catch (error) {
        wrong.push(`${String(error)} after ${show()}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  if (!target.isRunning()) wrong.push('the server has ended');
  await target.stop();
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const figures = `seed ${seed}: ${sent} inputs, ${answered} answers (${counts.join(', ')})`;
  return [toRow('mutated requests', figures, wrong)];
}
