import { describe, expect, it } from 'vitest';
import { createService } from '../../../../src/core/access/service.ts';
import { createOperations, tenantEventsOf } from '../../../../src/core/engine/engine.ts';
import { createReceive } from '../../../../src/core/http/api/ingestion.ts';
import type { Call } from '../../../../src/core/http/operation.ts';
import { findText } from '../../../../src/core/http/protocols/members.ts';
import { OWN } from '../../../../src/core/http/protocols/own.ts';
import type { WireFormat } from '../../../../src/core/http/protocol.ts';
import { jsonHeaders } from '../../../../src/core/http/response.ts';
import { createAdmin, type ApiError, type Tenant, type TokenVerifier } from '../../../../src/index.ts';
import { memoryStores } from '../../../../adapters/memory/index.ts';
import { toPlainAnswer, toRequest } from '../../../support/plain-api.ts';
import { testResources } from '../../../support/resources.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

type AuthStrategy = Tenant['authStrategy'];

const tokens: TokenVerifier = { verify: () => Promise.resolve('ada') };
const EVENT = '{"eventName":"Paid","userId":"ada"}';
const jwt = { issuer: 'i', audience: 'a', jwksUrl: 'https://example.com/keys' };

/** A tenant with a strategy, and a format that notes what is asked of it. */
async function setUp(
  authStrategy: AuthStrategy,
  change: (noted: WireFormat) => WireFormat = (noted) => noted,
) {
  const resources = testResources();
  const { runtime, meter, scheduler, memory } = resources;
  const stores = memoryStores({ resources });
  const operations = createOperations({ events: stores.events, resources });
  const service = createService({ ...stores, ...recordsIn(stores.control), tokens, runtime, meter });
  const admin = createAdmin({ stores, runtime, tokens });
  const { id } = await admin.createTenant({ alias: 'shop', plan: 'custom', limits: null });
  await admin.updateTenant('shop', { authStrategy, ...(authStrategy === 'JWT' ? { jwt } : {}) });
  const { secret } = await admin.createKey('shop', { name: 'k', permissions: ['ingest'] });
  const asked: string[] = [];
  const format = change({
    secretOf: () => void asked.push('secretOf'),
    types: OWN.types,
    secretIn: ({ text }, _request, pacer) => (asked.push('secretIn'), findText(text, 'key', pacer)),
    find: ({ text }, request, tools) => {
      asked.push('find');
      const events = text.slice(text.indexOf('['), text.lastIndexOf(']') + 1);
      return OWN.find({ text: events, type: 'json' }, request, tools);
    },
  });
  const receive = createReceive({ service, operations, scheduler, memory, meter, runtime });

  async function send(body: string, headers: Readonly<Record<string, string>> = {}) {
    const read: { bytesMax: number; owner: string | undefined }[] = [];
    const request = {
      ...toRequest({
        target: '/v1/x/shop',
        headers: { 'content-type': 'application/json', ...headers },
        address: '2001:db8::1',
      }),
      text: (bytesMax: number, owner?: string) => {
        read.push({ bytesMax, owner });
        return Promise.resolve(body);
      },
      admit: () => void asked.push('admit'),
    };
    const call: Call = {
      ...{ request, alias: 'shop', parameter: '', target: { path: '/v1/x/shop', queryString: '' } },
      ...{ headers: jsonHeaders('id'), notes: {} },
    };
    const {
      status,
      headers: had,
      body: said,
    } = await receive(call, format)
      .then(toPlainAnswer)
      .catch((error: unknown) => {
        const { status, message } = error as ApiError;
        return { status, headers: {}, body: message };
      });
    return { status, headers: had, body: said, read, call };
  }
  const stored = async () => (await tenantEventsOf(operations, id).query({})).events.length;
  return { send, secret, asked, stored, id, memory };
}

const chase = (secret: string) => ({ authorization: `Chase ${secret}` });

describe('the key of a sender', () => {
  it.each<[AuthStrategy, Record<string, string>]>([
    ['NONE', {}],
    ['NONE', chase('eqk_wrong')],
    ['JWT', { authorization: 'Bearer token' }],
  ])('is not looked for in the body under %s', async (strategy, headers) => {
    const { send, asked, id, stored } = await setUp(strategy);
    const { status, read } = await send(`{"key":"wrong","events":[${EVENT}]}`, headers);
    expect([status, await stored()]).toEqual([200, 1]);
    expect(asked.filter((name) => name !== 'secretOf')).toEqual(['admit', 'find']);
    expect(read).toEqual([{ bytesMax: 10_485_760, owner: id }]);
  });

  it('is not looked for in the body where a header has one, right or wrong', async () => {
    const { send, asked, secret, stored } = await setUp('SERVER_SIDE');
    expect((await send(`{"key":"x","events":[${EVENT}]}`, chase(secret))).status).toBe(200);
    expect(asked).toEqual(['secretOf', 'admit', 'find']);
    const wrong = await send(`{"key":"${secret}","events":[${EVENT}]}`, chase('eqk_wrong'));
    expect([wrong.status, wrong.read, await stored()]).toEqual([401, [], 1]);
  });

  it('is found in a body that is read once, small, and for its network', async () => {
    const { send, asked, secret, stored } = await setUp('SERVER_SIDE');
    const { status, read } = await send(`{"key":"${secret}","events":[${EVENT}]}`);
    expect([status, await stored()]).toEqual([200, 1]);
    expect(asked).toEqual(['secretOf', 'secretIn', 'admit', 'find']);
    expect(read).toEqual([{ bytesMax: 1_048_576, owner: '2001:db8:0:0::/64' }]);
  });

  it.each([
    ['{"key":"eqk_wrong","events":[EVENT]}', 401],
    ['{"key":7,"events":[EVENT]}', 401],
    [`{"key":"${'x'.repeat(2000)}","events":[EVENT]}`, 401],
    ['{"events":[EVENT],"x":{"key":"SECRET"}}', 401],
    ['{"events":[EVENT]}', 401],
    ['[EVENT]', 400],
    ['{"key":"SECRET","events":[EVENT]', 400],
    ['{"key":"SECRET"oops,"events":[EVENT]}', 400],
  ])('that %s does not hold lets nothing in', async (body, expected) => {
    const { send, asked, secret, stored } = await setUp('SERVER_SIDE');
    const { status, body: said } = await send(body.replace('EVENT', EVENT).replace('SECRET', secret));
    expect([status, await stored()]).toEqual([expected, 0]);
    expect(asked).toEqual(['secretOf', 'secretIn']);
    expect(said).not.toContain(secret);
  });

  it('is not looked for in a body of another type, nor by a format that has none there', async () => {
    const { send, asked, secret } = await setUp('SERVER_SIDE');
    const body = `{"key":"${secret}","events":[${EVENT}]}`;
    const other = await send(body, { 'content-type': 'text/html' });
    expect([other.status, other.read, asked]).toEqual([415, [], ['secretOf']]);
    const own = await setUp('SERVER_SIDE', () => OWN);
    const without = await own.send(body);
    expect([without.status, without.read]).toEqual([401, []]);
  });
});

describe('a format of its own kind', () => {
  it('writes the answer to what was stored, at least in part', async () => {
    const { send } = await setUp('NONE', (noted) => ({
      ...noted,
      answer: ({ accepted, rejected }, { headers }) => ({
        ...{ status: 200, headers: { ...headers, 'Content-Type': 'text/plain' } },
        body: `${accepted} and ${rejected.length}`,
      }),
    }));
    const { status, body, headers } = await send(`[${EVENT},{}]`);
    expect([status, body]).toEqual([200, '1 and 1']);
    expect(headers).toMatchObject({ 'Content-Type': 'text/plain', 'X-Request-Id': 'id' });
  });

  it('writes refusals, which keep their status and headers and are noted', async () => {
    const { send } = await setUp('NONE', (noted) => ({
      ...noted,
      refusal: ({ status, message }) => ({ code: status, error: message }),
    }));
    const answer = await send('[{}]');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({
      code: 400,
      error: expect.stringMatching(/^No event was accepted; the first reason: events\[0\]: /) as string,
    });
    expect(answer.call.notes.error).toMatchObject({ code: 'nothingAccepted' });
  });

  it('reserves what its events take beside the body, until the answer', async () => {
    const bytesBeside = ({ text }: { readonly text: string }) =>
      text.includes('large') ? 2 ** 50 : 1_000_000;
    let held = 0;
    const { send, stored, memory } = await setUp('NONE', (noted) => ({
      ...noted,
      bytesBeside,
      find: (...given) => {
        held = memory.bytes;
        return noted.find(...given);
      },
    }));
    expect((await send(`[${EVENT.replace('Paid', 'large')}]`)).status).toBe(503);
    expect((await send(`[${EVENT}]`)).status).toBe(200);
    expect(await stored()).toBe(1);
    expect(held).toBeGreaterThanOrEqual(1_000_000);
    expect(memory.bytes).toBeLessThan(1_000_000);
  });

  it('leaves a fault of the server to the server', async () => {
    const { send } = await setUp('NONE', (noted) => ({
      ...noted,
      find: () => Promise.reject(new Error('lost')),
      refusal: () => ({ wrong: true }),
    }));
    expect((await send(`[${EVENT}]`)).body).toBe('lost');
  });
});
