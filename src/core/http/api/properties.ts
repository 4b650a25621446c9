import type { EventOperations } from '../../engine/engine.ts';
import { invalid } from '../../base/errors.ts';
import { decodeFormValue, quote } from '../../event/text.ts';
import type { Properties, Property } from '../../query/properties.ts';
import { arrayTexts, wholeText, type WriteList } from '../list-text.ts';
import type { Question } from '../operation.ts';

interface PropertiesOptions {
  readonly operations: EventOperations;
  readonly writeList: WriteList;
}

/** Makes the operations that list the names of events, their property paths and the values there. */
export function createProperties({ operations, writeList }: PropertiesOptions) {
  return {
    eventNames: async (call, authorize) => {
      const { tenantId } = await authorize(call, () => undefined, { ofAll: () => 'The list of event names' });
      const items = await operations.eventNames(tenantId, call.request.signal);
      const length = items.reduce((sum, name) => sum + name.length, 0);
      return writeList(call, tenantId, { rows: items.length, texts: arrayTexts(items, wholeText), length });
    },
    properties: async (call, authorize) => {
      const read = () => readEvent(call.target.queryString);
      const ofAll = () => 'The list of properties';
      const { tenantId, asked } = await authorize(call, read, { hasParameters: true, ofAll });
      const found = await operations.properties(tenantId, asked.event, call.request.signal);
      const { properties } = found;
      return writeList(call, tenantId, {
        rows: properties.length,
        texts: propertiesTexts(found),
        length: properties.reduce((sum, property) => sum + lengthOf(property), 0),
      });
    },
  } satisfies Record<string, Question>;
}

function* propertiesTexts({ properties, ...rest }: Properties): Generator<string> {
  yield '{"properties":';
  yield* arrayTexts(properties, wholeText);
  yield `,${JSON.stringify(rest).slice(1)}`;
}

function lengthOf({ path, examples }: Property): number {
  return examples.reduce<number>((sum, example) => sum + String(example).length, path.length);
}

/** Reads the only parameter, `event`: the name of an event. Throws ApiError 400. */
function readEvent(queryString: string): { readonly event: string | undefined } {
  if (queryString === '') return { event: undefined };
  const [name, value, ...rest] = queryString.split('=');
  const isOne = name === 'event' && value !== undefined && rest.length === 0 && !value.includes('&');
  const event = isOne ? decodeFormValue(value) : undefined;
  if (event === undefined)
    throw invalid(
      'query string',
      `takes event=<the name of an event>, or nothing, got ${quote(queryString)}`,
    );
  return { event };
}
