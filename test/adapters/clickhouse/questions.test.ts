import { expect, it } from 'vitest';
import { createQuestions } from '../../../adapters/clickhouse/questions.ts';

it('an end waits for every question that is under way then, however it ends, and for no other', async () => {
  const questions = createQuestions();
  const ends: string[] = [];
  const settle: (() => void)[] = [];
  const ask = (key: string) =>
    questions.during(key, () => new Promise<void>((resolve) => settle.push(resolve)));
  void ask('a').then(() => ends.push('first'));
  const second = ask('a').then(() => {
    ends.push('second');
  });
  void ask('b');
  const ended = questions.ended('a').then(() => ends.push('ended'));
  void ask('a');
  settle[0]!();
  await new Promise(setImmediate);
  expect(ends).toEqual(['first']);
  settle[1]!();
  await Promise.all([second, ended]);
  expect(ends).toEqual(['first', 'second', 'ended']);
  const error = new Error('away');
  await expect(questions.during('c', () => Promise.reject(error))).rejects.toBe(error);
  await questions.ended('c');
});
