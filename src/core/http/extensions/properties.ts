import type { OptionalAnswers } from '../../answers.ts';
import { invalid } from '../../errors.ts';
import { quote } from '../../event/text.ts';
import type { HttpResponse } from '../../ports.ts';
import type { Property } from '../../query/properties.ts';
import type { WriteList } from '../list-text.ts';
import type { Admit, Call } from '../operation.ts';

interface PropertiesOptions {
  readonly admit: Admit;
  readonly answers: OptionalAnswers;
  readonly writeList: WriteList;
}

/** Which paths events have, and what they hold there. */
export function createProperties({ admit, answers, writeList }: PropertiesOptions) {
  return {
    properties: async (call: Call): Promise<HttpResponse> => {
      const read = () => readEvent(call.target.queryString);
      const { tenantId, asked } = await admit(call, read, { hasParameters: true });
      const { properties, ...rest } = await answers.properties(tenantId, asked.event, call.request.signal);
      return writeList(call, tenantId, {
        before: '{"properties":[',
        items: properties,
        behind: `],${JSON.stringify(rest).slice(1)}`,
        length: properties.reduce((sum, property) => sum + lengthOf(property), 0),
      });
    },
  };
}

function lengthOf({ path, examples }: Property): number {
  return examples.reduce<number>((sum, example) => sum + String(example).length, path.length);
}

/** The one parameter that there is: `event`, the name of an event. */
function readEvent(queryString: string): { readonly event: string | undefined } {
  if (queryString === '') return { event: undefined };
  const [name, value, ...rest] = queryString.split('=');
  const takes = 'takes event=<the name of an event>, or nothing';
  if (name !== 'event' || value === undefined || rest.length > 0 || value.includes('&')) {
    throw invalid('query string', `${takes}, got ${quote(queryString)}`);
  }
  try {
    return { event: decodeURIComponent(value.replaceAll('+', ' ')) };
  } catch {
    throw invalid('query string', `${takes}, got ${quote(queryString)}`);
  }
}
