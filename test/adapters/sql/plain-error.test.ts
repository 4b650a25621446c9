import { expect, it } from 'vitest';
import { codeOf, toPlainError } from '../../../adapters/sql/index.ts';

it('what a driver throws is told by name, code and the beginning of its message', () => {
  const thrown = Object.assign(new RangeError(`a row is too long\nwhere: insert of "a secret"`), {
    code: '54000',
    detail: 'Failing row contains (a secret)',
    where: 'SQL statement "insert a secret"',
  });
  const plain = toPlainError(thrown);
  expect([plain.name, plain.message, codeOf(plain)]).toEqual(['RangeError', 'a row is too long', '54000']);
  expect(JSON.stringify([plain, plain.message, plain.stack])).not.toContain('secret');
});

it.each([
  ['Unknown identifier a in scope SELECT secret', 'Unknown identifier a'],
  ['Cannot read 1: While processing secret', 'Cannot read 1'],
  ['x'.repeat(1000), 'x'.repeat(300)],
])('of a message nothing of the statement: %#', (message, told) => {
  expect(toPlainError(new Error(message)).message).toBe(told);
});

it('an error without a message is told by its code, and one that is none by itself', () => {
  const refused = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  expect(toPlainError(refused).message).toBe('ECONNREFUSED');
  expect(toPlainError('away').message).toBe('away');
});
