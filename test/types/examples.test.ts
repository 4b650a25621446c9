import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { readBlocks } from '../readme/blocks.ts';
import { compileEntries, DOORS, ENTRIES, exportsOf, exportsOfEntry } from './named-types.ts';

const blocks = readBlocks().filter(({ language }) => language === 'ts');

const examples = compileEntries(
  new Map([
    ...blocks.map(({ place, text }) => [place, text] as const),
    [
      'silent',
      'export interface Silent { field: string }\n/** Said. */\nexport type Said = { of: 1 } & Silent;\n',
    ],
    ['no such name', "import { nothing } from 'event-query';\n"],
    ['no number', "import { parseCountBody } from 'event-query/store-kit';\nconst n: string = 5;\n"],
  ]),
);

describe('the compiler that checks examples', () => {
  it('does not take one that is wrong', () => {
    expect(examples.faultsOf('no such name')).toHaveLength(1);
    expect(examples.faultsOf('no number')).toHaveLength(1);
  });
});

describe('blocks of TypeScript on the pages', () => {
  it.each(blocks)('$place compiles, as in the program of whoever copies it', ({ place }) => {
    expect(examples.faultsOf(place)).toEqual([]);
  });
});

/** The fields that a type has, those of each kind where it has several, without those of libraries. */
function fieldsOf(symbol: ts.Symbol): ts.Symbol[] {
  const { checker } = examples;
  const types = ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias | ts.SymbolFlags.Class;
  if ((symbol.flags & types) === 0) return [];
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return (type.isUnion() ? type.types : [type])
    .flatMap((each) => checker.getPropertiesOfType(each))
    .filter(
      ({ declarations: [first] = [] }) =>
        first?.getSourceFile().fileName.includes('/node_modules/') === false,
    );
}

/** Fields that need no words: what an error is called is what it says of itself. */
const plain = [
  ...['AbortedError', 'ApiError', 'ArrivingEvent', 'EventQueryError', 'ImportError', 'LogGoneError'],
].map((error) => `${error}.name`);

/** The exports that say nothing of what they mean, and the fields of types that do not. */
function silentOf(exported: readonly ts.Symbol[]): string[] {
  const isSilent = (symbol: ts.Symbol) => symbol.getDocumentationComment(examples.checker).length === 0;
  const silent = exported.flatMap((symbol) => [
    ...(isSilent(symbol) ? [symbol.name] : []),
    ...fieldsOf(symbol)
      .filter(isSilent)
      .map((field) => `${symbol.name}.${field.name}`),
  ]);
  return silent.filter((name) => !plain.includes(name));
}

/** What newcomers meet first, by the entry points that export it. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
  'event-query': ['ApiError', 'createAdmin', 'createApi', 'createEngine', 'EventStore'],
  'event-query/store-kit': ['compilePredicate', 'createColumnIndex', 'leasedLimiter', 'takeTokens'],
  'event-query/transport-kit': ['createMemoryBudget'],
  'event-query/memory': ['memoryEventStore', 'memoryStores'],
  'event-query/sqlite': ['sqliteStores'],
  'event-query/postgres': ['postgresStores'],
  'event-query/clickhouse': ['clickhouseEvents'],
  'event-query/prometheus': ['prometheusMeter', 'withMetrics'],
  'event-query/opentelemetry': ['openTelemetryTracer'],
  'event-query/redis': ['redisRateLimiter'],
  'event-query/node-http': ['createNodeListener', 'createNodeServer', 'nodeResources'],
  'event-query/import': ['readEvents'],
  'event-query/fetch': ['createFetchHandler'],
  'event-query/client': ['createClient', 'where'],
  'event-query/jose': ['joseTokenVerifier'],
  'event-query/dashboard': ['withDashboard'],
  'event-query/conformance': ['testEventStore'],
};

describe('what newcomers meet first', () => {
  it.each(Object.entries(FIRST))('%s: shows by an example how it is used', (entry, names) => {
    const shown = exportsOfEntry(examples, entry).filter((symbol) =>
      symbol.getJsDocTags(examples.checker).some(({ name }) => name === 'example'),
    );
    const withExample = shown.map((symbol) => symbol.name);
    expect(names.filter((name) => !withExample.includes(name))).toEqual([]);
  });
});

describe('what an embedding program writes and reads', () => {
  it('is seen where it says nothing', () => {
    expect(silentOf(exportsOf(examples, examples.file('silent')))).toEqual([
      'Silent',
      'Silent.field',
      'Said.of',
      'Said.field',
    ]);
  });

  it.each(ENTRIES)('%s: every export, and every field of its types, says what it means', (entry) => {
    const exported = exportsOfEntry(examples, entry);
    expect(exported.length).toBeGreaterThan(0);
    expect(silentOf(exported)).toEqual([]);
  });

  it.each(DOORS)('%s: no type of a library is in any signature', (entry) => {
    const exported = exportsOfEntry(examples, entry);
    const foreign = exported.filter((symbol) => {
      const type = examples.checker.getTypeOfSymbol(symbol);
      return /\b(Zod\w*|z\.\w+|Ajv)\b/.test(
        examples.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation),
      );
    });
    expect(exported.length).toBeGreaterThan(20);
    expect(foreign.map((symbol) => symbol.name)).toEqual([]);
  });
});
