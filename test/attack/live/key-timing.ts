import { checkControl } from '../target/checks.ts';
import { startTarget } from '../target/target.ts';
import { quantile, toRow, type Row, type RunOptions } from './report.ts';
import { createRandom } from '../../support/random.ts';

/** How often one distribution lies below the other: 0.5 when nobody could tell them apart. */
function shareBelow(a: readonly number[], b: readonly number[]): number {
  const sorted = [...b].sort((x, y) => x - y);
  let below = 0;
  for (const value of a) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle]! <= value) low = middle + 1;
      else high = middle;
    }
    below += sorted.length - low;
  }
  return below / (a.length * b.length);
}

/** Measures how long wrong keys of several kinds take to refuse; a report, on which nothing depends. */
export async function runKeyTiming({ quick }: RunOptions): Promise<Row[]> {
  const target = await startTarget(['--log-level', 'error']);
  const random = createRandom(1);
  const hex = (length: number) => Array.from({ length }, () => random.below(16).toString(16)).join('');
  const last = (Number.parseInt(target.key.at(-1) ?? '0', 16) ^ 1).toString(16);
  const kinds: Record<string, () => string> = {
    'all but the last digit right': () => target.key.slice(0, -1) + last,
    'the first half right': () => target.key.slice(0, 36) + hex(32),
    'a random one': () => `eqk_${hex(64)}`,
    'another random one': () => `eqk_${hex(64)}`,
    'not a key at all': () => hex(68),
  };
  const times = new Map(Object.keys(kinds).map((kind): [string, number[]] => [kind, []]));
  const wrong: string[] = [];
  await checkControl(target);
  const rounds = quick ? 500 : 5000;
  for (let round = -100; round < rounds; round++) {
    for (const [kind, make] of Object.entries(kinds)) {
      const headers = { 'X-API-Key': make() };
      const start = performance.now();
      const answer = await fetch(`${target.origin}/v1/api/query/events/mallory`, { headers });
      await answer.text();
      if (round >= 0) times.get(kind)!.push(performance.now() - start);
      if (answer.status !== 401) wrong.push(`${kind}: ${answer.status}`);
    }
  }
  await target.stop();
  const reference = times.get('a random one')!;
  const median = quantile(reference, 0.5);
  const figures = [...times].map(([kind, values]) => {
    const ratio = (quantile(values, 0.5) / median).toFixed(3);
    const share = (shareBelow(values, reference) * 100).toFixed(1);
    return `\n    ${kind}: median ${ratio} of a random one, faster in ${share} %`;
  });
  return [toRow('timing of keys', `${rounds} of each, in turn${figures.join('')}`, wrong)];
}
