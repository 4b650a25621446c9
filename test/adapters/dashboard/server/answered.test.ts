import { expect, it } from 'vitest';
import {
  afterFailure,
  NOTHING,
  type AnswerState,
} from '../../../../adapters/dashboard/pages/server/answered.ts';

const [subject, other] = [{}, {}];
const [asked, again] = [{}, {}];
const known: AnswerState<number> = { ...NOTHING, value: 5, question: asked, subject, asOf: 1_000 };
const failed = { error: 'busy', isPassing: true, lostAt: undefined, question: again, subject };

it('a refresh that fails leaves what is known, of its own instant', () => {
  const lapsed = afterFailure(known, failed);
  expect(lapsed).toEqual({ ...known, question: again, lapse: 'busy' });
  // It stays however often it fails, and still says of when it is.
  expect(afterFailure(lapsed, { ...failed, error: 'gone', lostAt: 2 })).toMatchObject({
    ...{ value: 5, asOf: 1_000, lapse: 'gone', error: undefined, lostAt: 2 },
  });
});

it('an error takes the place of an answer to another question, and of one that is refused now', () => {
  for (const of of [
    { ...failed, subject: other },
    { ...failed, isPassing: false },
  ])
    expect(afterFailure(known, of)).toMatchObject({ value: undefined, error: 'busy', lapse: undefined });
  expect(afterFailure<number>(NOTHING, failed)).toMatchObject({ value: undefined, error: 'busy' });
});
