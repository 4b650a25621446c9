import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { toProperties } from '../../../../adapters/cli/options/property.ts';
import { exactJson } from '../../../../src/internal.ts';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';

const place = createPlace();
beforeAll(() => place.ok(['tenant', 'create', 'shop']));
afterAll(() => place.remove());

describe('send', () => {
  it('gives an event a time, an id and the user of the command', async () => {
    const before = Date.now();
    const printed = await place.ok(['send', 'shop', '--event', 'deployed']);
    const [event] = fromNdjson(await place.ok(['export', 'shop'])) as Record<string, string>[];
    expect(event).toMatchObject({ eventName: 'deployed', userId: userInfo().username, properties: {} });
    expect(Date.parse(event!.eventTs!)).toBeGreaterThanOrEqual(before);
    const { eventTs, userId, insertId } = event!;
    expect(printed).toBe(`stored deployed of ${userId} at ${eventTs} with the id ${insertId}\n`);
    // What it prints identifies the event.
    const again = ['send', 'shop', '--event', 'deployed', '--at', eventTs!, '--id', insertId!];
    expect(await place.ok(again)).toContain('already stored: deployed of');
    expect(JSON.parse(await place.ok([...again, '--json']))).toEqual({
      ...{ eventName: 'deployed', userId, eventTs, insertId },
      duplicate: true,
    });
  });

  it.each<[string[], RegExp]>([
    [[], /required option '--event <name>' not specified/],
    [['--event', ''], /: --event: takes a string of 1 to 256 characters, got 0$/],
    [['--event', 'a', '--user', 'x'.repeat(257)], /: --user: takes a string/],
    [['--event', 'a', '--at', 'yesterday'], /It takes an ISO 8601 date-time such as 2024-05-01T10:00:00Z/],
    [['--event', 'a', '--at', '1960-01-01T00:00:00Z'], /: --at: must lie between 1970 and 2099/],
    [['--event', 'a', '--id', 'x'], /--id needs --at/],
    [['--event', 'a', '--id', 'ü', '--at', '2024-05-01T10:00:00Z'], /: --id: takes 1 to 128 printable/],
    [['--event', 'a', '--property', 'plan'], /--property "plan": takes KEY=TEXT, or KEY:=JSON/],
    [['--event', 'a', '--property', '=x'], /--property "=x": takes KEY=TEXT/],
    [['--event', 'a', '--property', 'total:=6x'], /"6x" is not JSON; for a text write = instead of :=/],
    [['--event', 'a', '--property', 'properties.plan=pro'], /below properties already: write plan=…/],
    [['--event', 'a', '--property', 'a..b=1'], /has an empty segment/],
    [['--event', 'a', '--property', 'a=1', '--property', 'a.b=1'], /"a" has a value already, so nothing/],
    [['--event', 'a', '--property', 'a.b=1', '--property', 'a.b=2'], /"b" has a value already$/],
    [['--event', 'a', '--property', 'n:=1e400'], /properties\.n/],
  ])('%j is refused in one line', async (args, message) => {
    const { code, stdout, stderr } = await place.run(['send', 'shop', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^event-query: [^\n]*\n$/);
    expect(stderr.trimEnd()).toMatch(message);
  });
});

describe('properties', () => {
  it('of any name and any JSON arrive as they were meant', () => {
    const key = fc
      .string({ minLength: 1, unit: 'grapheme-composite' })
      .filter((text) => !/[=:\0]/.test(text));
    const escaped = (text: string) => text.replace(/[\\.]/g, '\\$&');
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (properties) => {
        const texts = Object.entries(properties).map(([name, value]) =>
          typeof value === 'string'
            ? `${escaped(name)}=${value}`
            : `${escaped(name)}:=${exactJson(JSON.stringify(value))}`,
        );
        expect(JSON.stringify(toProperties(texts))).toBe(JSON.stringify(properties));
      }),
    );
  });

  it('cannot change a prototype', () => {
    const made = toProperties(['__proto__.polluted=yes', 'constructor.prototype.polluted=yes']);
    expect(JSON.stringify(made)).toBe(
      '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}',
    );
    expect(({} as { polluted?: string }).polluted).toBeUndefined();
  });
});
