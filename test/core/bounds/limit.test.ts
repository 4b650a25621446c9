import { expect, it } from 'vitest';
import { createQueuedLimit } from '../../../src/store-kit.ts';
import { createLimit } from '../../../src/transport-kit.ts';

/** A queued limit whose clock and whose work go on when they are told to. */
function openLimit(max: number, waitMsMax = 1000) {
  let time = 0;
  const limit = createQueuedLimit(max, { waitMsMax, now: () => time });
  /** Who is at work, in the order in which they began. */
  const working: { readonly name: string; readonly end: () => void }[] = [];
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    names: () => working.map(({ name }) => name),
    run: (owner: string, name = owner, signal?: { readonly aborted: boolean }) =>
      limit.run(owner, signal, () => new Promise<void>((end) => working.push({ name, end }))),
    /** Lets some time pass, and then ends the first that goes by this name. */
    end: async (name: string, ms = 0) => {
      time += ms;
      const place = working.findIndex((each) => each.name === name);
      working.splice(place, 1)[0]!.end();
      await settle();
    },
  };
}

it('one owner has at most half of the permits, and whoever comes finds some free', async () => {
  const { names, run, end } = openLimit(8);
  for (let i = 0; i < 30; i++) void run('many');
  expect(names()).toEqual(Array<string>(4).fill('many'));
  void run('other');
  expect(names().at(-1)).toBe('other');
  // Whoever has waited for a permit holds it like any other.
  for (let i = 0; i < 5; i++) {
    await end('many');
    expect(names().filter((name) => name === 'many').length).toBe(4);
  }
});

it('the next is of the owner that has worked least, and of one owner who came first', async () => {
  const { names, run, end } = openLimit(1);
  void run('heavy', 'heavy 1');
  for (const name of ['heavy 2', 'heavy 3']) void run('heavy', name);
  for (const name of ['light 1', 'light 2']) void run('light', name);
  const order: string[] = [];
  for (const ms of [100, 1, 1, 100, 100]) {
    const [name] = names() as [string];
    order.push(name);
    await end(name, ms);
  }
  expect(order).toEqual(['heavy 1', 'light 1', 'light 2', 'heavy 2', 'heavy 3']);
});

it('who is gone, or has waited too long when a turn comes, does not begin', async () => {
  const { names, run, end } = openLimit(1, 10);
  void run('a');
  const signal = { aborted: false };
  const gone = run('b', 'gone', signal);
  const late = run('c', 'late');
  signal.aborted = true;
  const both = Promise.allSettled([gone, late]);
  await end('a', 11);
  const [first, second] = await both;
  expect([first.status, second.status]).toEqual(['rejected', 'rejected']);
  await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
  await expect(late).rejects.toMatchObject({ code: 'overloaded' });
  await expect(run('d', 'gone before', { aborted: true })).rejects.toMatchObject({ name: 'AbortError' });
  void run('d');
  expect(names()).toEqual(['d']);
});

it('work that fails gives its permit back', async () => {
  const limit = createQueuedLimit(1, { waitMsMax: 1, now: () => 0 });
  const error = new Error('failed');
  await expect(limit.run('a', undefined, () => Promise.reject(error))).rejects.toBe(error);
  expect(await limit.run('a', undefined, () => Promise.resolve(7))).toBe(7);
});

it('who holds a permit has its share still, however many have come and gone', () => {
  const limit = createLimit(4);
  expect(limit.take(['stays'])).toBe(true);
  for (let i = 0; i < 10_000; i++) {
    expect(limit.take([`goes-${i}`])).toBe(true);
    limit.leave([`goes-${i}`]);
  }
  expect([limit.take(['stays']), limit.take(['stays'])]).toEqual([true, false]);
  expect(limit.taken).toBe(2);
});

it('there are no more permits than these, also where nobody answers for them', () => {
  const limit = createLimit(2);
  expect([1, 2, 3].map(() => limit.take([]))).toEqual([true, true, false]);
  expect(limit.isOpenTo(['new'])).toBe(false);
  limit.leave([]);
  expect(limit.take([])).toBe(true);
});
