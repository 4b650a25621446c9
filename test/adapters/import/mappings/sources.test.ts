import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { OPTION_WORDS, type CellSource } from '../../../../adapters/import/base/options.ts';
import { toEventOfTable } from '../../../../adapters/import/mappings/columns.ts';
import { planTable, type TableOptions } from '../../../../adapters/import/mappings/csv.ts';
import { toMappedObjects } from '../../../../adapters/import/mappings/json-map.ts';
import { isApiError, type ApiError, type JsonObject } from '../../../../src/index.ts';
import { gather } from '../gathered.ts';
import { plainInstants } from '../plain-instants.ts';

const CELLS = {
  ...{ kind: 'view', day: '2024-05-03', clock: '10:00:00', created: '2024-05-04 11:00:00' },
  ...{ account: 'ada', visitor: 'v1', tier: 'pro' },
};
const HEADER = Object.keys(CELLS);
/** Rows in which some cells are empty. */
const rows = fc
  .subarray(HEADER.filter((name) => name !== 'kind'))
  .map((empty) => Object.entries(CELLS).map(([name, text]) => (empty.includes(name) ? '' : text)));
const some = (...sources: readonly CellSource[]) => fc.shuffledSubarray([...sources], { minLength: 1 });
const maps = fc
  .tuple(
    some('day+clock', 'created', 'day'),
    some('account', 'visitor', 'account+visitor', { constant: 'anonymous' }),
    some('tier', 'tier+visitor', { constant: 'free' }),
  )
  .map(
    ([eventTs, userId, plan]) =>
      new Map([
        ['eventName', ['kind']],
        ['eventTs', eventTs],
        ['userId', userId],
        ['properties.plan', plan],
      ]),
  );

/** An event as it would be stored; undefined for what lacks a field. */
function shown(event: JsonObject | ApiError): unknown {
  if (isApiError(event) || event.eventTs === undefined || event.userId === undefined) return undefined;
  const { properties = {}, ...fields } = event;
  // A table says nothing by an empty cell, and an object says an empty text.
  const filled = Object.entries(properties as JsonObject).filter(([, value]) => value !== '');
  return { ...fields, properties: Object.fromEntries(filled) };
}

it('sources mean the same in a table and in JSON: the first with all of its parts counts', async () => {
  const instants = plainInstants({ timeZone: 'UTC' });
  await fc.assert(
    fc.asyncProperty(rows, maps, async (cells, map) => {
      const options: TableOptions = { map, types: new Map(), words: OPTION_WORDS };
      const ofTable = toEventOfTable(planTable(HEADER, options, instants), cells);
      const value = Object.fromEntries(HEADER.map((name, i) => [name, cells[i]!]));
      const records = [{ number: 1, bytes: 1, value }];
      const [ofJson] = await gather(toMappedObjects(toAsync(records), options, instants));
      expect(shown(ofJson!.value as JsonObject)).toEqual(shown(ofTable));
      const isFilled = (source: CellSource) =>
        typeof source !== 'string' || source.split('+').every((name) => value[name] !== '');
      const isWhole = ['eventTs', 'userId'].every((field) => map.get(field)!.some(isFilled));
      expect(shown(ofTable) !== undefined).toBe(isWhole);
    }),
  );
});

async function* toAsync<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const each of all) yield await Promise.resolve(each);
}
