import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_BODIES, LINE_BODIES, QUERY_BODIES, type BodyCase } from './corpus/bodies.ts';
import { checkControl, faultsOf } from './target/checks.ts';
import { post, type Place } from './target/post.ts';
import { startTarget, type Target } from './target/target.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());

/** Sends bodies one after another and says what came differently. */
async function wrongIn(
  place: Place,
  cases: readonly BodyCase[],
  headers: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, body, status] of cases) {
    const answer = await post(target, place, body, headers);
    if (answer.status !== status) wrong.push(`${name}: got ${answer.status}, ${answer.body.slice(0, 200)}`);
    wrong.push(...faultsOf(answer, target).map((fault) => `${name}: ${fault}`));
    await checkControl(target).catch((error: unknown) => wrong.push(`${name}: ${String(error)}`));
  }
  return wrong;
}

describe('bodies that are deep, long or bent', () => {
  it('of a query', async () => {
    expect(await wrongIn('query', QUERY_BODIES)).toEqual([]);
  });

  it('of a count', async () => {
    const cases = QUERY_BODIES.filter(([, body]) => !String(body).includes('pagination'));
    expect(await wrongIn('count', cases)).toEqual([]);
  });

  it('of events', async () => {
    expect(await wrongIn('ingest', EVENT_BODIES)).toEqual([]);
  });

  it('of lines of events', async () => {
    expect(await wrongIn('ingest', LINE_BODIES, { 'Content-Type': 'application/x-ndjson' })).toEqual([]);
  });

  it('none of them makes the process large', () => {
    // Three concurrent batches of 10 MiB as text, as values and as canonical text fit into this many times
    // over.
    expect(target.peakBytes()).toBeLessThan(1_500_000_000);
    expect(target.isRunning()).toBe(true);
  });
});
