import { isSafe } from 'redos-detector';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { SETTINGS_JSON_SCHEMAS } from '../../src/core/access/json-schemas.ts';
import { JSON_SCHEMAS } from '../../src/core/http/schemas/json-schemas.ts';
import { BODY_JSON_SCHEMAS } from '../../src/core/query/body-validators.ts';
import { nodesOf, sourcesBelow } from '../tidy/sources.ts';

/** A pattern of the library and where it stands. */
interface Pattern {
  readonly place: string;
  readonly text: string;
}

/** Flags are what the operator types into the own terminal; nobody else's text gets there. */
const OWN_INPUT = 'adapters/cli/options/';
const sources = sourcesBelow('src', 'adapters').filter(({ path }) => !path.startsWith(OWN_INPUT));

/** Every regular expression that is written down in the library. */
function patterns(): Pattern[] {
  return sources.flatMap((source) =>
    nodesOf(source)
      .filter(ts.isRegularExpressionLiteral)
      .map((node) => ({ place: `${source.path}: ${node.text}`, text: node.text })),
  );
}

/** Every pattern of the JSON Schemas by which bodies are read. */
function schemaPatterns(): Pattern[] {
  const found = new Set<string>();
  JSON.stringify([BODY_JSON_SCHEMAS, JSON_SCHEMAS, SETTINGS_JSON_SCHEMAS], (key, value: unknown) => {
    if (key === 'pattern' && typeof value === 'string') found.add(value);
    return value;
  });
  return [...found].map((text) => ({ place: `a JSON Schema: ${text}`, text: `/${text}/` }));
}

/** Where findings about a body are read from its schema, whose patterns are all in `schemaPatterns`. */
const BY_SCHEMA = 'src/core/query/findings.ts: new RegExp(schema.pattern)';

/** Places where a pattern is put together at run time, which nobody could check. */
function builtPatterns(): string[] {
  return sources.flatMap((source) =>
    nodesOf(source)
      .filter((node) => ts.isNewExpression(node) || ts.isCallExpression(node))
      .filter(({ expression }) => expression.getText(source.tree) === 'RegExp')
      .map((node) => `${source.path}: ${node.getText(source.tree)}`),
  );
}

function toRegExp(text: string): RegExp {
  const end = text.lastIndexOf('/');
  return new RegExp(text.slice(1, end), text.slice(end + 1));
}

/**
 * Whether the time of a pattern cannot grow faster than the text. `redos-detector` counts the ways in which
 * one text can be matched; without a bound on them, a pattern goes back over the text again and again. Steps
 * bound its work: a time would make the judgement that of the machine.
 */
function isBounded(pattern: RegExp): boolean {
  return isSafe(pattern, { maxScore: 200, maxSteps: 50_000, timeout: Infinity }).safe;
}

describe('regular expressions of the library', () => {
  const inSchemas = schemaPatterns();
  const found = [...patterns(), ...inSchemas];

  it('are found', () => {
    expect(found.length - inSchemas.length).toBeGreaterThan(15);
    expect(inSchemas.length).toBeGreaterThan(2);
  });

  it('are all written down', () => {
    expect(builtPatterns()).toEqual([BY_SCHEMA]);
  });

  it.each(found.map(({ place, text }) => [place, text]))(
    '%s takes time in proportion to its text',
    (_, text) => {
      expect(isBounded(toRegExp(text))).toBe(true);
    },
  );

  it.each([/^(a+)+$/, /^(\w+\s?)*$/, /\s+$/, /^\d*\d*x/])('%s would be noticed', (pattern) => {
    expect(isBounded(pattern)).toBe(false);
  });
});
