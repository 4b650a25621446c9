import type { ApiKey } from '../../src/index.ts';

/** A key for queries with one secret, whose hash is its id, as a store keeps it; but for what is given. */
export function apiKey(given: Pick<ApiKey, 'id' | 'tenantId'> & Partial<ApiKey>): ApiKey {
  const { id, createdAt = 1 } = given;
  return {
    ...{ name: id, permissions: ['query'], restrictions: null, filterSet: null, createdAt },
    ...{ expiresAt: null, revokedAt: null, lastUsedAt: null },
    secrets: [{ hash: id, createdAt, expiresAt: null }],
    ...given,
  };
}
