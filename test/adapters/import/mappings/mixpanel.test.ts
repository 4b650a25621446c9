import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileMapping } from '../../../../adapters/import/mappings/apply.ts';
import { plainInstants } from '../plain-instants.ts';
import { MIXPANEL } from '../../../../adapters/import/mappings/mixpanel.ts';
import { toMixpanelEvent } from '../../../../adapters/sdks/events/mixpanel.ts';
import type { JsonObject } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { NOW, stored, storedOf } from '../../sdks/events/stored.ts';

const times = fc.integer({ min: 631_152_000_000, max: NOW });
const properties = fc.record({
  time: fc.oneof(
    times,
    times.map((ms) => ms / 1000),
    times.map((ms) => Math.floor(ms / 1000)),
  ),
  distinct_id: fc.oneof(fc.constantFrom<unknown>('', null, 'ada', '$device:1', 7), fc.uuid()),
  $insert_id: fc.oneof(fc.uuid(), fc.integer()),
  plan: jsonValues,
});
const messages = fc.record(
  { event: fc.constantFrom('Paid', '$identify', 'ü'), properties, more: jsonValues },
  { requiredKeys: ['event', 'properties'] },
);

it('an event sent to the routes of Mixpanel is the one that an import of its export makes', () => {
  const toEvent = compileMapping(MIXPANEL, plainInstants());
  fc.assert(
    fc.property(messages, (generated) => {
      const message = JSON.parse(JSON.stringify(generated)) as JsonObject;
      const sent = storedOf(toMixpanelEvent(message, 'track'), 'mp');
      expect(sent).toEqual(stored(toEvent(message).value));
    }),
    { numRuns: 1000 },
  );
});
