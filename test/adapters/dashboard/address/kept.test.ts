import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAddress } from '../../../../adapters/dashboard/pages/address/address.ts';
import {
  keptAfter,
  linkKept,
  type KeptQuestions,
} from '../../../../adapters/dashboard/pages/address/kept.ts';
import { addresses, strangeTexts } from './addresses.ts';

const NONE: KeptQuestions = new Map();
const shown = (hash: string, kept = NONE) => keptAfter(kept, parseAddress(hash));
const parametersOf = (hash: string) => [...parseAddress(hash).parameters].sort();

it('whatever pages come between that ask nothing of events, the menu leads back to the question', () => {
  const questions = fc.dictionary(fc.constantFrom('event', 'filter', 'range', 'by', 'columns'), strangeTexts);
  const asking = ['explore', 'live', 'users', 'person', 'funnel', 'retention'];
  fc.assert(
    fc.property(questions, fc.array(addresses, { maxLength: 4 }), (question, between) => {
      const asked = `#/explore/shop?${new URLSearchParams(question).toString()}`;
      const others = between.filter((hash) => !asking.includes(parseAddress(hash).page));
      const kept = others.reduce((before, hash) => shown(hash, before), shown(asked));
      expect(parametersOf(linkKept(kept, 'explore', 'shop'))).toEqual(parametersOf(asked));
      // It is of this tenant alone, and no other page reads it.
      for (const link of [linkKept(kept, 'explore', 'outlet'), linkKept(kept, 'usage', 'shop')])
        expect(parametersOf(link)).toEqual([]);
    }),
  );
});

const FILTER = '[{"property":"userId","comparison":"EXISTS"}]';
const QUESTION = { event: 'a', filter: FILTER, range: '7d', zone: 'Asia/Kolkata' };
const at = (page: string, question: Readonly<Record<string, string>>) =>
  `#/${page}/shop?${new URLSearchParams(question).toString()}`;
const questionOf = (hash: string) => Object.fromEntries(parseAddress(hash).parameters);

it('event, filters and range go to users, funnel and retention and back, changed or not', () => {
  const explorer = shown(at('explore', { ...QUESTION, by: 'userId', view: 'mine', cursor: 'c', at: '5' }));
  expect(questionOf(linkKept(explorer, 'users', 'shop'))).toEqual(QUESTION);
  const { event, ...ofAll } = QUESTION;
  // Each step has an event of its own: that of the question is the first.
  const steps = JSON.stringify([{ event }, {}]);
  for (const page of ['funnel', 'retention'])
    expect(questionOf(linkKept(explorer, page, 'shop'))).toEqual({ ...ofAll, steps });
  const same = shown(linkKept(explorer, 'funnel', 'shop'), explorer);
  expect(questionOf(linkKept(same, 'explore', 'shop'))).toEqual({
    ...QUESTION,
    ...{ by: 'userId', view: 'mine' },
  });
  // A filter that is taken off there is off here, too, and the view was of another question.
  const changed = shown(at('funnel', { range: '30d', steps: '[{},{}]', by: 'properties.plan' }), same);
  expect(questionOf(linkKept(changed, 'explore', 'shop'))).toEqual({ event, range: '30d', by: 'userId' });
  expect(questionOf(linkKept(changed, 'users', 'shop'))).toEqual({ event, range: '30d' });
  expect(questionOf(linkKept(changed, 'retention', 'shop'))).toEqual({ range: '30d', steps });
  // An event that an address of steps names stays with these.
  const named = shown(at('funnel', { event: 'b', steps: '[{},{}]' }), changed);
  expect(questionOf(linkKept(named, 'explore', 'shop')).event).toBe('a');
  expect(questionOf(linkKept(named, 'funnel', 'shop')).event).toBe('b');
});

it('what the table of users asks itself is kept beside, and the page of a user leads to its question', () => {
  const explorer = shown('#/explore/shop?event=b&range=7d');
  const table = shown('#/users/shop?event=a&search=x&sort=last&range=30d&cursor=c&at=5', explorer);
  const question = { event: 'a', search: 'x', sort: 'last', range: '30d' };
  expect(questionOf(linkKept(table, 'users', 'shop'))).toEqual(question);
  expect(questionOf(linkKept(table, 'explore', 'shop'))).toEqual({ event: 'a', range: '30d' });
  expect(linkKept(table, 'users', 'outlet')).toBe('#/users/outlet');
  // A user who was found in rows says nothing about the table.
  for (const hash of [
    '#/person/shop?user=ada',
    '#/person/shop?user=ada&zone=Asia/Kolkata&order=oldest&offset=50',
    '#/person/shop?user=ada&at=2026-05-18T10:00:00.000Z',
  ])
    expect(shown(hash, table)).toBe(table);
  // A link to a user that somebody was given leads to its question.
  const given = shown('#/person/shop?user=ada&event=b&range=all&cursor=c&order=oldest', explorer);
  expect(questionOf(linkKept(given, 'users', 'shop'))).toEqual({ event: 'b', range: 'all' });
  // Those of a step are asked by steps: the event of the explorer is no part of it.
  const ofStep = { steps: '[{"event":"b"},{}]', stopped: '1', range: '7d' };
  expect(questionOf(linkKept(shown(at('users', ofStep), explorer), 'users', 'shop'))).toEqual(ofStep);
  expect(questionOf(linkKept(shown(at('users', ofStep), explorer), 'explore', 'shop'))).toEqual({
    ...{ event: 'b', range: '7d' },
  });
});

it('the live page has its events and columns, and gives back what it changed of them', () => {
  const kept = shown('#/explore/shop?event=a&range=7d&by=userId&columns=properties.a&view=v&cursor=c&at=5');
  expect(questionOf(linkKept(kept, 'explore', 'shop'))).toEqual({
    ...{ event: 'a', range: '7d', by: 'userId', columns: 'properties.a', view: 'v' },
  });
  expect(linkKept(kept, 'live', 'shop')).toBe('#/live/shop?event=a&columns=properties.a');
  const changed = shown('#/live/shop?event=b', kept);
  expect(questionOf(linkKept(changed, 'explore', 'shop'))).toEqual({
    ...{ event: 'b', range: '7d', by: 'userId' },
  });
});
