import { invalid, type EventInput, type Protocol, type WireFormat } from '../../../../src/index.ts';
import { findEnvelope, findText, jsonResponse } from '../../../../src/transport-kit.ts';

/** A message of a tool that this project does not know: `{"what", "who", "at", "with"}`. */
function toEvent(message: unknown): EventInput {
  if (typeof message !== 'object' || message === null) throw invalid('event', 'takes an object');
  const { what, who, at, with: properties } = message as Record<string, string>;
  return { eventName: what, userId: who, eventTs: at, properties } as unknown as EventInput;
}

const BEATS: WireFormat = {
  types: { 'application/json': 'json' },
  secretIn: ({ text }, _request, pacer) => findText(text, 'token', pacer),
  find: ({ text }, _request, { pacer }) =>
    findEnvelope(text, { member: 'beats', shared: () => ({}), toEvent }, pacer),
  answer: ({ accepted }, request) => jsonResponse(request, JSON.stringify({ beats: accepted }), 202),
  refusal: ({ message }) => ({ arrhythmia: message }),
};

/** The whole protocol of that tool: what a program writes to take its events in. */
export const pulse: Protocol = {
  name: 'pulse',
  routes: [
    {
      name: 'pulse',
      methods: ['POST'],
      path: '/beats',
      takes: BEATS,
      described: {
        summary: 'Store beats',
        answer: { $ref: '#/components/schemas/Beats' },
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
    {
      name: 'pulseHello',
      methods: ['GET'],
      path: '/hello/{greeting}',
      values: ['hi', 'hey'],
      takes: (request) => jsonResponse(request, JSON.stringify({ said: request.parameter })),
      described: { summary: 'Greets', answer: { type: 'object' } },
    },
  ],
  schemas: { Beats: { type: 'object', properties: { beats: { type: 'integer' } } } },
};
