import { describe, expect, it } from 'vitest';
import { compileMapping } from '../../../../adapters/import/mappings/apply.ts';
import { plainInstants } from '../../import/plain-instants.ts';
import { POSTHOG } from '../../../../adapters/import/mappings/posthog.ts';
import { SEGMENT } from '../../../../adapters/import/mappings/segment.ts';
import { toPosthogEvent } from '../../../../adapters/sdks/events/posthog.ts';
import { toRudderstackEvent } from '../../../../adapters/sdks/events/rudderstack.ts';
import { toSegmentEvent } from '../../../../adapters/sdks/events/segment.ts';
import { NOW, stored, storedOf } from './stored.ts';

const TIME = '2024-05-18T10:00:00.123Z';
const segment = { type: 'track', event: 'paid', userId: 'ada' };
const posthog = { event: 'paid', distinct_id: 'ada' };
/** Each protocol that gives its ids as they are: an event with an id, as it is stored. */
const BY_ID = {
  segment: (messageId: unknown, more: object = { timestamp: TIME }) =>
    storedOf(toSegmentEvent({ ...segment, messageId, ...more }, NOW), 'id'),
  rudderstack: (messageId: unknown, more: object = { originalTimestamp: TIME }) =>
    storedOf(toRudderstackEvent({ ...segment, messageId, ...more }, NOW), 'id'),
  posthog: (uuid: unknown, more: object = { timestamp: TIME }) =>
    storedOf(toPosthogEvent({ ...posthog, uuid, ...more }, NOW), 'id'),
};
const imported = (mapping: typeof SEGMENT, record: object) =>
  stored(compileMapping(mapping, plainInstants())(record).value);

/** Ids that no event can have as they are. */
const UNFIT = ['é', 'x'.repeat(129), 'two\nlines', ' \u202e', '𝒳-1'];

describe.each(Object.entries(BY_ID))('an id of %s', (_, toStored) => {
  it('that fits stays as it is, also as a number', () => {
    expect(toStored('m-1').insertId).toBe('m-1');
    expect(toStored(17).insertId).toBe('17');
    expect(JSON.stringify(toStored(17).properties)).not.toContain('17');
    expect(toStored('x'.repeat(128)).insertId).toBe('x'.repeat(128));
  });

  it.each(UNFIT)('that does not fit identifies its event by a hash, and is kept: %j', (id) => {
    const { insertId, properties } = toStored(id);
    expect(insertId).toMatch(/^id-[0-9a-f]{32}$/);
    expect(toStored(id).insertId).toBe(insertId);
    expect(toStored(`${id}.`).insertId).not.toBe(insertId);
    expect(JSON.stringify(properties)).toContain(JSON.stringify(id));
  });

  it('of version 7 says when its event was made, unless its clock was wrong', () => {
    const uuidAt = (ms: number) =>
      ms
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-') + '-7abc-8def-0123456789ab';
    for (const ms of [Date.UTC(2020, 0, 1), NOW - 1, NOW + 86_400_000])
      expect(toStored(uuidAt(ms), {})).toMatchObject({ eventTs: ms, insertId: uuidAt(ms) });
    for (const ms of [0, Date.UTC(2020, 0, 1) - 1, NOW + 86_400_001, 2 ** 48 - 1])
      expect(toStored(uuidAt(ms), {})).toMatchObject({ eventTs: NOW, insertId: 'made' });
  });
});

it.each(['segment', 'rudderstack'] as const)('an id of the web SDK says so as well: %s', (protocol) => {
  const at = Date.parse(TIME);
  const id = `ajs-next-${at}-0e5b2f7a-1111-4222-8333-444455556666`;
  expect(BY_ID[protocol](id, {})).toMatchObject({ eventTs: at, insertId: id });
  expect(BY_ID[protocol]('ajs-next-9999999999999-x', {})).toMatchObject({ eventTs: NOW, insertId: 'made' });
});

it.each(UNFIT)('an import of an export gives the same identity: %j', (id) => {
  expect(imported(SEGMENT, { ...segment, messageId: id, timestamp: TIME }).insertId).toBe(
    BY_ID.segment(id).insertId,
  );
  expect(imported(POSTHOG, { ...posthog, uuid: id, timestamp: TIME }).insertId).toBe(
    BY_ID.posthog(id).insertId,
  );
});
