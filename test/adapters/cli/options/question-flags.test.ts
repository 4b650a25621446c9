import { writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { toBreakdownBody, type GroupOptions } from '../../../../adapters/cli/options/group-options.ts';
import {
  toRetentionBody,
  toSequenceBody,
  toUsersBody,
  type RetentionFlags,
  type SequenceFlags,
  type UsersFlags,
} from '../../../../adapters/cli/options/sequence-options.ts';
import { toCompareBody, type CompareFlags } from '../../../../adapters/cli/options/compare-options.ts';
import { createFolder } from '../../../support/file.ts';

const SUM = { of: 'properties.n', take: ['sum'] } as const;
const STEP = ['a', 'b'];
const NONSENSE = '"nonsense": at character 1, "nonsense": unknown property path "nonsense"';

it.each<[GroupOptions, string]>([
  [{ rest: true, distinct: 'userId' }, '--rest: takes groups that it is outside of'],
  [{ by: ['day'], measure: [SUM], orderBy: SUM }, '--order-by: takes groups of a path'],
  [{ by: ['userId', 'n'] }, '--by: takes a property path'],
  [{ by: ['userId'], size: [2, 2] }, '--size: takes two numbers with two dimensions only'],
])('a breakdown names the flag that is wrong: %#', (flags, message) => {
  expect(() => toBreakdownBody(flags)).toThrow(message);
});

it.each<[SequenceFlags, string]>([
  [{ step: STEP, strict: true, without: ['1: x'] }, '--without: excludes nothing where the order is strict'],
  [{ step: STEP, without: Array<string>(11).fill('1: x') }, '--without: takes an array of at most 10'],
  [{ step: ['a: nonsense', 'b'] }, `--step ${NONSENSE}`],
  [{ step: STEP, without: ['1: x: nonsense'] }, `--without ${NONSENSE}`],
  [{ step: STEP, without: ['1: '] }, '--without "1: ": takes the number of a step'],
])('a sequence names the flag that is wrong: %#', (flags, message) => {
  expect(() => toSequenceBody(flags)).toThrow(message);
});

it.each<[RetentionFlags, string]>([
  [{ start: 'a: nonsense', return: 'b', unit: 'day' }, `--start ${NONSENSE}`],
  [{ start: 'a', return: 'b: nonsense', unit: 'day' }, `--return ${NONSENSE}`],
  [{ start: 'a', return: ' ', unit: 'day' }, '--return " ": a step is the name of an event'],
])('a retention names the flag that is wrong: %#', (flags, message) => {
  expect(() => toRetentionBody(flags)).toThrow(message);
});

it.each<[UsersFlags, string]>([
  [{ did: ['a: nonsense'] }, `--did ${NONSENSE}`],
  [{ did: ['a>=2: nonsense'] }, `--did ${NONSENSE}`],
  [{ never: ['a: nonsense'] }, `--never ${NONSENSE}`],
])('users name the flag that is wrong: %#', (flags, message) => {
  expect(() => toUsersBody(flags)).toThrow(message);
});

it.each<[CompareFlags, string]>([
  [{}, '--select is missing: a filter'],
  [{ select: ['nonsense'] }, `--select ${NONSENSE}`],
  [{ selectFrom: 'noon' }, '--select-from: takes a date-time with an offset'],
  [{ selectEvent: '\u0000' }, '--select-event: must be well-formed Unicode'],
  [{ selectEvent: 'a', path: ['plan'] }, '--path: unknown property path "plan"'],
  [{ selectEvent: 'a', size: 101 }, '--size: takes a whole number from 1 to 100'],
])('a question about what differs names the flag that is wrong: %#', (flags, message) => {
  expect(() => toCompareBody(flags)).toThrow(message);
});

it('what is wrong in a file is where the file has it, and no flag', () => {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  const file = folder.file('body.json');
  const refusalOf = (body: object) => {
    writeFileSync(file, JSON.stringify(body));
    return () => toSequenceBody({ body: file });
  };
  const filter = { property: 'total', comparison: 'EQUALS', value: 1 };
  expect(refusalOf({ steps: [{}], filterSet: [filter] })).toThrow(/^--body: filterSet\[0\]\.property: /);
  expect(refusalOf({ steps: [{}], order: 'any' })).toThrow(/^--body: order: takes "strict"/);
  expect(refusalOf({ steps: [{ filterSet: [filter] }] })).toThrow(/^--body: steps\[0\]\.filterSet\[0\]/);
});
