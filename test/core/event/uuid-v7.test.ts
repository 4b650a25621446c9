import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createUuidV7 } from '../../../src/core/event/uuid-v7.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { testResources } from '../../support/resources.ts';

const START = Date.parse('2024-05-18T10:00:00.000Z');
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A maker whose clock a test sets, with bytes of its choice as chance. */
function setUp(
  randomBytes: (length: number) => Uint8Array = (length) => testResources().runtime.randomBytes(length),
) {
  let now = START;
  const pass = (ms: number) => void (now += ms);
  return { make: createUuidV7({ now: () => now, randomBytes }), pass };
}

const timeOf = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

describe('the ids that the server makes', () => {
  it('are UUIDs of version 7 with the time in front', () => {
    const { make, pass } = setUp();
    for (let i = 0; i < 1000; i++) {
      const id = make();
      expect(id).toMatch(V7);
      expect(timeOf(id)).toBe(START + i);
      pass(1);
    }
  });

  it('grow, whatever the clock does', () => {
    const steps = fc.array(fc.constantFrom(0, 0, 0, 0, 1, -1, 3_600_000, -3_600_000, 86_400_000), {
      maxLength: 400,
      size: 'max',
    });
    fc.assert(
      fc.property(steps, (todo) => {
        const { make, pass } = setUp();
        let last = '';
        for (const ms of todo) {
          pass(ms);
          const id = make();
          expect(id > last).toBe(true);
          last = id;
        }
      }),
    );
  });

  it.each([
    ['no chance', 0x00],
    ['all chance', 0xff],
  ])('grow through many in one millisecond, with %s', (_name, byte) => {
    const { make } = setUp((length) => new Uint8Array(length).fill(byte));
    let last = make();
    expect(timeOf(last)).toBe(START);
    // More steps than the lowest parts of the counter have numbers.
    for (let i = 0; i < 100_000; i++) {
      const id = make();
      if (id <= last || !V7.test(id)) expect.fail(`${id} after ${last}`);
      last = id;
    }
    expect(timeOf(last)).toBe(START);
  });

  it('are unlike each other in what chance gives', () => {
    const { make } = setUp();
    const ends = new Set(Array.from({ length: 1000 }, () => make().slice(-10)));
    expect(ends.size).toBe(1000);
  });

  it('of two processes in one millisecond are all different', async () => {
    const script = bundleProgram('test/core/event/uuid-v7-child.ts');
    const run = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, String(START)], {
        maxBuffer: 10_000_000,
      });
      return stdout.trim().split('\n');
    };
    const [one, two] = await Promise.all([run(), run()]);
    expect(one).toHaveLength(20_000);
    expect(new Set([...one, ...two]).size).toBe(40_000);
    expect([...one].sort()).toEqual(one);
  });
});
