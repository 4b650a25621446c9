import { describe, expect, it } from 'vitest';
import {
  bodyByFigure,
  bodyById,
  bodyOfEvents,
  canOrder,
  usersAsked,
} from '../../../../adapters/dashboard/pages/users/question.ts';

const PAGE = { size: 100 };
const BODY = { event: 'order_placed' };
const STEPS = [
  { event: 'a', filters: [] },
  { event: 'b', filters: [] },
];
const asked = (parameters: Readonly<Record<string, string>>) =>
  usersAsked(new URLSearchParams(parameters), STEPS);
const contains = (property: string, value: string) => ({ property, comparison: 'CONTAINS', value });

describe('the question for users', () => {
  it('is that of the events, in pages', () => {
    expect(bodyById(BODY, asked({}), PAGE)).toEqual({ ...BODY, pagination: PAGE });
  });

  it('looks for a part of an ID among the events themselves, which then can be ordered and shown', () => {
    const users = asked({ search: 'ad' });
    expect(bodyOfEvents(BODY, users)).toEqual({
      ...BODY,
      filterSet: [{ anyOf: [contains('userId', 'ad')] }],
    });
    expect(canOrder(users)).toBe(true);
  });

  it('looks for a part of another value in one event of a user, of whom all events count', () => {
    const users = asked({ search: 'x', in: 'properties.email' });
    expect(bodyById(BODY, users, PAGE)).toEqual({
      ...BODY,
      having: [{ filterSet: [{ anyOf: [contains('properties.email', 'x')] }], atLeast: 1 }],
      pagination: PAGE,
    });
    expect(canOrder(users)).toBe(false);
  });

  it('takes a number of events, and how far a sequence came', () => {
    expect(bodyById(BODY, asked({ least: '3' }), PAGE)).toMatchObject({ having: [{ atLeast: 3 }] });
    expect(bodyById({}, asked({ stopped: '1', within: '7d' }), PAGE)).toEqual({
      sequence: { steps: [{ event: 'a' }, { event: 'b' }], within: '7d', stopped: 1 },
      pagination: PAGE,
    });
    expect(bodyById({}, asked({ reached: '2' }), PAGE).sequence).toMatchObject({ reached: 2 });
  });

  it('comes by a figure only where the engine can do it', () => {
    expect(asked({ sort: 'last' }).order).toBe('last');
    for (const condition of [{ least: '2' }, { reached: '1' }, { search: 'x', in: 'properties.a' }])
      expect(asked({ sort: 'last', ...condition }).order).toBe('');
    expect(bodyByFigure({}, asked({ sort: 'last' }), 5)).toEqual({
      ...{ by: 'userId', size: 5, measures: [{ of: 'eventTs', take: ['min', 'max'] }] },
      orderBy: { measure: 0, take: 'max' },
    });
    expect(bodyByFigure({}, asked({ sort: 'events' }), 5).orderBy).toBe(undefined);
  });
});
