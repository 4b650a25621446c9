import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { SHAPE_BYTES_MAX, shapeOf } from '../../../src/core/event/event-shape.ts';

/** What no key of the tests holds, so that a value is recognised wherever it turns up. */
const MARK = 'MARKED';
const values = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => MARK + text),
  fc.constant(Number(`8${'7'.repeat(12)}`)),
  fc.constantFrom(true, null),
  fc.array(fc.constant(MARK)),
);
const keys = fc.oneof(
  fc.string({ maxLength: 6, unit: 'binary' }),
  fc.string({ minLength: 30, maxLength: 90, unit: 'grapheme' }),
  fc.constant('\u0000"\\'.repeat(40)),
);
const objects = fc.dictionary(keys, values, { maxKeys: 80, size: 'max' });
const events = fc.oneof(
  values,
  objects,
  fc.tuple(objects, objects).map(([event, properties]) => ({ ...event, properties })),
);

it('names keys, types and lengths, and nothing of a value, in at most a kibibyte', () => {
  fc.assert(
    fc.property(events, fc.option(keys, { nil: undefined }), (event, where) => {
      const text = JSON.stringify(shapeOf(event, where));
      expect(text).not.toContain(MARK);
      expect(text).not.toContain('7777');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(SHAPE_BYTES_MAX);
      expect(text.isWellFormed()).toBe(true);
      expect(/\p{Cc}|\\u0000/u.test(text)).toBe(false);
    }),
  );
});

it('shows the first keys of the event and of its properties, and counts the others', () => {
  const properties = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, i]));
  const shape = shapeOf({ eventName: 'abc', userId: null, tags: [1, 2], properties }, 'properties.key7');
  expect(shape).toMatchObject({ type: 'object', length: 4, where: 'properties.key7' });
  expect(shape.fields.slice(0, 5)).toEqual([
    { key: 'eventName', type: 'string', length: 3 },
    { key: 'userId', type: 'null' },
    { key: 'tags', type: 'array', length: 2 },
    { key: 'properties', type: 'object', length: 200 },
    { key: 'properties.key0', type: 'number' },
  ]);
  expect(shape.fields.length + shape.more).toBe(204);
  expect(shapeOf(['a', 'b'], 'event')).toEqual({ type: 'array', length: 2, fields: [], more: 0 });
});

it('cuts long keys, and hides credentials that stand in them', () => {
  const secret = `eqk_${'0123456789abcdef'.repeat(4)}`;
  const { fields, where } = shapeOf({ [secret]: 1, ['x'.repeat(20) + secret]: 1 }, `"${secret}"`);
  expect(fields.map(({ key }) => key)).toEqual(['[hidden]', `${'x'.repeat(20)}eqk_01234567…`]);
  expect(where).toBe('"[hidden]"');
});
