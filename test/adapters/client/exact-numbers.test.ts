import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient, createSender, where } from '../../../adapters/client/index.ts';
import { toExactJson } from '../../../adapters/client/body.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

const NUMBERS = [
  2 ** 53,
  2 ** 60,
  -(2 ** 60),
  2 ** 62 + 2 ** 20,
  2 ** 63,
  2 ** 69,
  1e20,
  1e21,
  1.5e300,
  0.1,
  1 / 3,
];

it('each number of a double goes over the sender and is found by the client', async () => {
  server.clock.advance(Date.now() - server.clock.now());
  const apiKey = await server.createTenant('shop');
  const failed: string[] = [];
  const sender = createSender({
    ...{ url: server.origin, tenant: 'shop', delayMs: 0 },
    onError: (error) => void failed.push(error.message),
  });
  sender.append(NUMBERS.map((n) => ({ eventName: 'a', userId: 'u', properties: { n } })));
  await sender.close();
  expect(failed).toEqual([]);
  const client = createClient({ url: server.origin, tenant: 'shop', apiKey });
  for (const n of NUMBERS) {
    const { events } = await client.query<{ n: number }>({ filterSet: [where('properties.n').equals(n)] });
    expect(events.map(({ properties }) => properties.n)).toEqual([n]);
  }
});

it('changes no text and no decimal', () => {
  const texts = { '1152921504606847000': 'a "1152921504606847000" \\', d: 0.12345678901234567, e: 1e-300 };
  expect(toExactJson(texts)).toBe(JSON.stringify(texts));
  expect(toExactJson({ ...texts, n: [2 ** 60] })).toBe(
    JSON.stringify({ ...texts, n: [0] }).replace('[0]', '[1152921504606846976]'),
  );
  expect(toExactJson(undefined)).toBeUndefined();
});

it('says each number beside a long one as it is, whatever its digits', () => {
  const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 5 });
  const fractions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 });
  const integers = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), { maxLength: 5 });
  fc.assert(
    fc.property(numbers, fractions, integers, fc.string(), (some, parts, whole, text) => {
      const said = { [text]: `${text} 1152921504606847000` };
      const value = { ...said, n: 2 ** 60, some, parts, whole: whole.map(Number) };
      const json = toExactJson(value)!;
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(json).toContain('1152921504606846976');
      for (const n of whole.map(Number)) expect(json).toContain(BigInt(n).toString());
    }),
  );
});
