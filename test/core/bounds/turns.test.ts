import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../src/core/bounds/turns.ts';

/** Work that ends when it is told to, and what became of it. */
function openWork(log: string[], name: string) {
  let end: (error?: Error) => void = () => undefined;
  const ended = new Promise<string>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve(name) : reject(error));
  });
  return { end: (error?: Error) => end(error), work: () => (log.push(name), ended) };
}

describe('turns', () => {
  it('are taken one after the other under one key, and beside each other under two', async () => {
    const log: string[] = [];
    const turns = createTurns();
    const [first, second, other] = ['first', 'second', 'other'].map((name) => openWork(log, name));
    const answers = [turns.take('a', first!.work), turns.take('a', second!.work)];
    const beside = turns.take('b', other!.work);
    await sleep(1);
    expect(log).toEqual(['first', 'other']);
    first!.end();
    expect(await answers[0]).toBe('first');
    await sleep(1);
    expect(log).toEqual(['first', 'other', 'second']);
    second!.end();
    other!.end();
    expect(await Promise.all([answers[1], beside])).toEqual(['second', 'other']);
  });

  it('go on after work that fails, and who asked for it has its error', async () => {
    const turns = createTurns();
    const failed = turns.take('a', () => Promise.reject(new Error('no disk')));
    const next = turns.take('a', () => Promise.resolve('done'));
    await expect(failed).rejects.toThrow('no disk');
    expect(await next).toBe('done');
  });

  it('are forgotten with the last work under a key, not with the first', async () => {
    const log: string[] = [];
    const turns = createTurns();
    expect(turns.isTaken('a')).toBe(false);
    const [first, second] = ['first', 'second'].map((name) => openWork(log, name));
    const answers = [turns.take('a', first!.work), turns.take('a', second!.work)];
    first!.end();
    await answers[0];
    await sleep(1);
    expect([turns.isTaken('a'), turns.isTaken('b')]).toEqual([true, false]);
    second!.end();
    await answers[1];
    await sleep(1);
    expect(turns.isTaken('a')).toBe(false);
  });

  it('have ended when no work is left, also such as came while the end was awaited', async () => {
    const log: string[] = [];
    const turns = createTurns();
    const [first, second] = ['first', 'second'].map((name) => openWork(log, name));
    const failing = expect(turns.take('a', first!.work)).rejects.toThrow('no disk');
    let hasEnded = false;
    const ended = turns.ended().then(() => (hasEnded = true));
    const later = turns.take('a', second!.work);
    first!.end(new Error('no disk'));
    await failing;
    await sleep(1);
    expect(hasEnded).toBe(false);
    second!.end();
    await later;
    await ended;
    expect(turns.isTaken('a')).toBe(false);
  });
});
