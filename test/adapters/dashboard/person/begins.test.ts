import { expect, it } from 'vitest';
import { beginOf, bodyFrom } from '../../../../adapters/dashboard/pages/person/begins.ts';

const AT = '2026-05-18T10:00:00.500Z';
const body = { filterSet: [{ property: 'userId', comparison: 'EQUALS' as const, value: 'ada' }] };

it('a timeline begins at the instant of an event, not at that of the question behind it', () => {
  const of = (at: string) => beginOf(new URLSearchParams({ at }));
  expect(of(AT)).toBe(Date.parse(AT));
  for (const other of ['', '1779098400500', 'x']) expect(of(other)).toBeUndefined();
});

it('it has the event itself and those that follow in its order', () => {
  const at = Date.parse(AT);
  expect(bodyFrom(body, at, false)).toEqual({ ...body, until: '2026-05-18T10:00:00.501Z' });
  expect(bodyFrom(body, at, true)).toEqual({ ...body, from: AT });
  expect(bodyFrom(body, undefined, true)).toBe(body);
});
