import type { OptionalAnswers } from '../../answers.ts';
import { invalid } from '../../errors.ts';
import { quote } from '../../event/text.ts';
import type { HttpResponse } from '../../ports.ts';
import type { Admit, Call } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface PropertiesOptions {
  readonly admit: Admit;
  readonly answers: OptionalAnswers;
}

/** Which paths events have, and what they hold there. */
export function createProperties({ admit, answers }: PropertiesOptions) {
  return {
    properties: async (call: Call): Promise<HttpResponse> => {
      const read = () => readEvent(call.target.queryString);
      const { tenantId, asked } = await admit(call, read, { hasParameters: true });
      const found = await answers.properties(tenantId, asked.event, call.request.signal);
      return jsonResponse(call, JSON.stringify(found));
    },
  };
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
