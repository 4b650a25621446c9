import { expect, it } from 'vitest';
import { createScheduler } from '../../../src/transport-kit.ts';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
const openSignal = () => ({ aborted: false });

/** A scheduler for jobs that take no time, and whose rests end when they are told to. */
function openScheduler(canSleep = true) {
  const rests: (() => void)[] = [];
  const sleep = () => new Promise<void>((resolve) => rests.push(resolve));
  const scheduler = createScheduler({ now: () => 0, nextTurn, sleep: canSleep ? sleep : undefined });
  let done = 0;
  return {
    rests,
    done: () => done,
    request: (signal?: { aborted: boolean }) => scheduler.run('asks', signal, () => undefined),
    /** One more job of a stream. */
    goOn: (owner: string, signal?: { aborted: boolean }) =>
      scheduler.run(owner, signal, () => (done += 1), 'background'),
    /** Ends the one rest that there is. */
    endRest: async () => {
      await nextTurn();
      expect(rests).toHaveLength(1);
      rests.shift()!();
      await nextTurn();
    },
  };
}

type Opened = ReturnType<typeof openScheduler>;

/** So many streams of an owner that have begun. */
async function openStreams({ goOn }: Opened, owner: string, count: number) {
  const signals = Array.from({ length: count }, openSignal);
  for (const signal of signals) await goOn(owner, signal);
  return signals;
}

it('a stream rests before a job only if a request has come since the job before', async () => {
  const opened = openScheduler();
  const { rests, done, request, goOn, endRest } = opened;
  await request();
  const [stream] = await openStreams(opened, 'a', 1);
  await goOn('a', stream);
  expect(done()).toBe(2);
  await request();
  const rested = goOn('a', stream);
  await endRest();
  await rested;
  await goOn('a', stream);
  expect([done(), rests.length]).toEqual([4, 0]);
});

it('a request counts once, and a stream does not rest for what it reads itself', async () => {
  const opened = openScheduler();
  const { rests, done, request, goOn, endRest } = opened;
  const [asked, stream] = [openSignal(), openSignal()];
  await request(stream);
  await goOn('a', stream);
  await request(stream);
  await goOn('a', stream);
  expect(rests).toHaveLength(0);
  await request(asked);
  void goOn('a', stream);
  await endRest();
  await request(asked);
  await goOn('a', stream);
  expect([done(), rests.length]).toEqual([4, 0]);
});

it('several streams rest one after the other, so that together they take no more than one', async () => {
  const opened = openScheduler();
  const { rests, done, request, goOn, endRest } = opened;
  const streams = await openStreams(opened, 'a', 3);
  await request();
  for (const stream of streams) void goOn('a', stream);
  for (let each = 1; each <= streams.length; each++) {
    await endRest();
    expect(done()).toBe(streams.length + each);
  }
  expect(rests).toHaveLength(0);
});

it('the only stream of an owner rests no longer for the many streams of another', async () => {
  const opened = openScheduler();
  const { request, goOn, endRest } = opened;
  const many = await openStreams(opened, 'many', 1000);
  const [alone] = await openStreams(opened, 'alone', 1);
  await request();
  let ended = 0;
  for (const stream of many) void goOn('many', stream);
  for (let round = 1; round <= 5; round++) {
    await request();
    void goOn('alone', alone).then(() => (ended += 1));
    await endRest();
    await endRest();
    expect(ended).toBe(round);
  }
});

it('nobody rests after a stream whose client has left', async () => {
  const opened = openScheduler();
  const { request, goOn, endRest } = opened;
  const streams = await openStreams(opened, 'a', 3);
  await request();
  const jobs = Promise.allSettled(streams.map((stream) => goOn('a', stream)));
  for (const left of streams.slice(0, 2)) left.aborted = true;
  await endRest();
  expect((await jobs).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

it('nobody rests without a timer, or without a signal that says which jobs are one stream', async () => {
  for (const [canSleep, signal] of [
    [false, openSignal()],
    [true, undefined],
  ] as const) {
    const { done, rests, request, goOn } = openScheduler(canSleep);
    await goOn('a', signal);
    await request();
    await goOn('a', signal);
    expect([done(), rests.length]).toEqual([2, 0]);
  }
});
