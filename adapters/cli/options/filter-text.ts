import type { Filter } from '../../../src/index.ts';
import { comparisonOf, COMPARISONS, EVENT_FIELDS, parsePath, refuseRounded } from '../../../src/internal.ts';
import { OPERAND_KINDS } from '../../../src/store-kit.ts';
import { quote } from '../../../src/transport-kit.ts';
import { valueText } from '../print/printable.ts';
import { messageOf, misuse } from '../process/errors.ts';
import { hintOf, nearestOf } from '../values/nearest.ts';
import { findFault } from './json-fault.ts';
import { endOf } from './scan.ts';

/** A filter as a request body has it; the core checks what its parts are. */
export interface WrittenFilter {
  readonly property: string;
  readonly comparison: string;
  readonly value: unknown;
}

/** Every way to write an operator; a blank in one stands for any number of them. */
const SPELLINGS = Object.entries(COMPARISONS)
  .flatMap(([comparison, { written }]) => [comparison, written].map((text) => ({ comparison, text })))
  .map(({ comparison, text }) => ({ comparison, pattern: new RegExp(`^${text.replaceAll(' ', '\\s+')}$`) }));

/** All operators as `--filter` takes them. */
export const WRITTEN = Object.values(COMPARISONS).map(({ written }) => written);

const BLANKS = /\s*/y;
/** A path needs quotes if it has blanks, quotes, or the characters of operators. */
const BARE_PATH = /[^\s"=!<>]+/y;
const QUOTED_PATH = /"(?:[^"\\]|\\.)*"/sy;
/** Signs, or one or two words: what is longest and known is the operator. */
const OPERATORS = [/[=!<>~]+/y, /[A-Za-z_]+\s+[A-Za-z_]+(?!\w)/y, /[A-Za-z_]+(?!\w)/y];

/**
 * Parses one `--filter`: a path, an operator by its sign or name, and an operand in JSON. A list may have
 * round brackets. Throws an Error that names the flag, and says at which character the text is wrong, and
 * what would be right.
 */
export function parseFilterText(text: string, flag = '--filter'): WrittenFilter {
  const wrong = (at: number, right: string) =>
    misuse(`${flag} ${quote(text)}: ${placeOf(text, at)}: ${right}`);
  const start = endOf(BLANKS, text, 0);
  const pathEnd = endOf(text[start] === '"' ? QUOTED_PATH : BARE_PATH, text, start);
  if (pathEnd === start) throw wrong(start, `takes a path, an operator and an operand: ${EXAMPLE}`);
  const property =
    text[start] === '"' ? parsePathText(text.slice(start, pathEnd)) : text.slice(start, pathEnd);
  if (property === undefined) throw wrong(start, 'this path in quotes is not JSON');
  const pathFault = faultOfPath(property);
  if (pathFault !== undefined) throw wrong(start, pathFault);

  const from = endOf(BLANKS, text, pathEnd);
  if (from === text.length) throw wrong(from, `takes a path, an operator and an operand: ${EXAMPLE}`);
  const found = findOperator(text, from);
  if (found === undefined) throw wrong(from, unknownOperator(wordAt(text, from)));
  const { comparison, end } = found;
  const { takes } = comparisonOf(comparison)!;

  const at = endOf(BLANKS, text, end);
  const rest = text.slice(at).trimEnd();
  const written = text.slice(from, end);
  if (takes === 'none') {
    if (rest !== '' && rest !== 'null') throw wrong(at, `${written} takes no operand`);
    return { property, comparison, value: null };
  }
  if (rest === '' || rest === 'null') {
    const instead = rest === '' ? '' : `; ${OF_NULL} look for null`;
    throw wrong(
      at,
      `${written} takes ${OPERAND_KINDS[takes].words}, got ${rest === '' ? 'nothing' : rest}${instead}`,
    );
  }
  const json = rest.startsWith('(') && rest.endsWith(')') ? `[${rest.slice(1, -1)}]` : rest;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const fault = findFault(rest);
    throw wrong(at + fault.at, fault.right);
  }
  const rounded = refuseRounded(json);
  if (rounded !== undefined) throw wrong(at, rounded.message);
  return { property, comparison, value };
}

const EXAMPLE = 'properties.plan = "pro"';

/** The operators that look for null, in words. */
const OF_NULL = Object.values(COMPARISONS)
  .filter(({ takes }) => takes === 'none')
  .map(({ written }) => written)
  .join(' and ');

/** Writes a filter so that `parseFilterText` reads the same one. */
export function toFilterText({ property, comparison, value }: Filter): string {
  const { written, takes } = COMPARISONS[comparison];
  const isBare = property !== '' && endOf(BARE_PATH, property, 0) === property.length;
  const path = isBare ? property : JSON.stringify(property);
  if (takes === 'none') return `${path} ${written}`;
  const operand = valueText(value);
  const list = () => `(${(value as readonly unknown[]).map((one) => valueText(one)).join(', ')})`;
  return `${path} ${written} ${takes === 'list' ? list() : operand}`;
}

function findOperator(text: string, from: number): { comparison: string; end: number } | undefined {
  for (const pattern of OPERATORS) {
    const end = endOf(pattern, text, from);
    const spelling = SPELLINGS.find((each) => each.pattern.test(text.slice(from, end)));
    if (spelling !== undefined) return { comparison: spelling.comparison, end };
  }
  return undefined;
}

function parsePathText(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

function unknownOperator(word: string): string {
  const words = WRITTEN.filter((each) => /^[a-z]/.test(each));
  const hint = hintOf(word, [...words, ...Object.keys(COMPARISONS)]);
  return `unknown operator ${quote(word)}${hint || `; use one of ${WRITTEN.join(', ')}`}`;
}

/** Why a path is none, with what may be meant; undefined if it is one. */
function faultOfPath(path: string): string | undefined {
  try {
    parsePath(path, 'path');
    return undefined;
  } catch (error) {
    const isRooted = path.startsWith('properties.');
    const meant = isRooted ? undefined : (nearestOf(path, EVENT_FIELDS) ?? `properties.${path}`);
    const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
    return `${messageOf(error).replace(/^path: /, '')}${hint}`;
  }
}

/** Signs, or text up to the next blank. */
function wordAt(text: string, at: number): string {
  return /^(?:[=!<>~]+|\S+)/.exec(text.slice(at))?.[0] ?? '';
}

/** How much of the text is shown from the wrong character on. */
const SHOWN_LENGTH = 20;

/** Where a text is wrong, for people: characters count from 1. */
function placeOf(text: string, at: number): string {
  const number = Array.from(text.slice(0, at)).length + 1;
  const rest = text.slice(at).trimEnd();
  const shown = rest.length > SHOWN_LENGTH ? `${rest.slice(0, SHOWN_LENGTH)}…` : rest;
  return rest === '' ? `at its end` : `at character ${number}, ${quote(shown)}`;
}
