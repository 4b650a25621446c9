import { expect, it } from 'vitest';
import { aroundEach } from '../../../src/core/base/around-each.ts';

it('each method is called as it would be, by what is around it', async () => {
  const told: unknown[] = [];
  const methods = {
    add: (a: number, b: number) => a + b,
    later: (text: string) => Promise.resolve(`${text}!`),
  };
  const around = aroundEach(methods, (call, first) => {
    told.push(first);
    return call();
  });
  expect([around.add(1, 2), await around.later('a'), told]).toEqual([3, 'a!', [1, 'a']]);
  const refused = aroundEach(methods, () => Promise.reject(new Error('no')));
  await expect(refused.later('b')).rejects.toThrow('no');
});
