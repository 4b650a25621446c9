import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseKeyOptions,
  parseTenantChanges,
  parseTenantOptions,
} from '../../../src/core/access/admin-options.ts';
import { SETTINGS_JSON_SCHEMAS } from '../../../src/core/access/json-schemas.ts';
import { SETTINGS_SCHEMAS } from '../../../src/core/access/settings-schema.ts';
import type { Tenant } from '../../../src/core/access/tenant.ts';
import { findingsIn } from '../../../src/core/query/findings.ts';
import { isApiError } from '../../../src/index.ts';
import { casesOf } from '../../support/cases.ts';

const before: Tenant = {
  ...{ id: '0', alias: 'shop', name: 'shop', plan: 'custom', limits: null, ingestion: 'default' },
  ...{ retentionDays: null, authStrategy: 'NONE', jwt: null, createdAt: 0 },
};

/** Values that a field may have, and one time in six one that it may not. */
const field = (right: readonly unknown[], wrong: readonly unknown[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...right), weight: 5 },
    { arbitrary: fc.constantFrom(...wrong), weight: 1 },
  );
const jwt = { issuer: 'i', audience: 'a' };
const values = {
  alias: field(['shop'], ['Shop', 1]),
  name: field(['a', ' a '], ['', 'x'.repeat(300), 1]),
  plan: field(['custom', 'free'], ['other']),
  limits: field([null, { perMinute: 1, perDay: 2 }], [{ perMinute: 0, perDay: 1 }, { perDay: 1 }]),
  ingestion: field([null, 'default', { eventsPerMinute: 1, bytesPerMinute: 1e11 }], ['none', {}]),
  retentionDays: field([null, 1, 36_500], [36_501, 0.5]),
  authStrategy: field(['NONE', 'SERVER_SIDE', 'JWT'], ['none']),
  jwt: field(
    [null, { ...jwt, publicKeyPem: 'k' }, { ...jwt, jwksUrl: 'https://keys.example', more: 1 }],
    [{}],
  ),
  permissions: field(
    [['query'], ['query', 'query', 'ingest'], ['write']],
    [[], ['read'], ['query', 'write'], 'query'],
  ),
  restrictions: field(
    [
      null,
      { origins: ['*'], eventNames: null },
      { origins: ['https://a.b'], eventNames: ['a'], eventsPerDay: 1 },
    ],
    [{}, { origins: [] }, { origins: ['*'], eventsPerMinute: 0 }, { origins: ['*'], more: 1 }, 'any'],
  ),
  expiresAt: field([null, 0, 8_640_000_000_000_000], [8_640_000_000_000_001, -1, 'now']),
};

describe.each([
  ['TenantOptions', ['alias', 'plan', 'limits', 'ingestion', 'retentionDays', 'name'], parseTenantOptions],
  [
    'TenantChanges',
    ['name', 'plan', 'limits', 'ingestion', 'retentionDays', 'authStrategy', 'jwt'],
    (body: unknown) => parseTenantChanges(body, before),
  ],
  ['KeyOptions', ['name', 'permissions', 'restrictions', 'expiresAt'], parseKeyOptions],
] as const)('%s', (name, fields, parse) => {
  const shape = Object.fromEntries(fields.map((field) => [field, values[field]]));
  const bodies = fc.record(shape, { requiredKeys: fields.slice(0, 2) });
  const isDescribed = (body: unknown) => SETTINGS_SCHEMAS[name].safeParse(body).success;

  it('are as their schema describes them, or refused', () => {
    let accepted = 0;
    fc.assert(
      fc.property(bodies, (body) => {
        const findings = findingsIn(SETTINGS_JSON_SCHEMAS[name], body, SETTINGS_JSON_SCHEMAS);
        expect(findings.length === 0, JSON.stringify(body)).toBe(isDescribed(body));
        try {
          parse(body);
        } catch (error) {
          if (!isApiError(error)) throw error;
          return;
        }
        accepted += 1;
        expect(isDescribed(body), JSON.stringify(body)).toBe(true);
      }),
      { numRuns: casesOf(1000) },
    );
    expect(accepted).toBeGreaterThan(casesOf(100));
  });

  it('have the fields that their schema names, and no other', () => {
    for (const field of fields) expect(isDescribed({ [field]: {} })).toBe(false);
    expect(() => parse({ other: 1 })).toThrow(/: unknown field "other"; use one of /);
    expect(() => parse(JSON.parse('{"__proto__": 1}'))).toThrow(/unknown field "__proto__"/);
  });
});
