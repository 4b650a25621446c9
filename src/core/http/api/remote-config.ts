import type { ConfigEntry } from '../../access/remote-config.ts';
import type { Service } from '../../access/service.ts';
import type { Records } from '../../access/records.ts';
import { invalid } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import { checksum } from '../../event/checksum.ts';
import { NAME_LENGTH_MAX } from '../../event/event-fields.ts';
import { isJsonObject } from '../../event/event.ts';
import { describeValue } from '../../event/text.ts';
import { toIsoInstant } from '../../event/time.ts';
import type { Call } from '../operation.ts';
import { parseBody, readJsonText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import type { RemoteConfigAnswer } from '../schemas/web-sdk-answer.ts';
import { OWN } from '../protocols/own.ts';
import { findIngestion, readCredentials } from './ingestion.ts';

interface RemoteConfigOptions {
  readonly service: Service;
  readonly stores: Pick<Records, 'tenants'>;
  readonly scheduler: Scheduler;
  readonly runtime: Pick<Runtime, 'now'>;
}

/** Makes the operation that reads the remote config of a tenant, as the web SDK asks for it. */
export function createRemoteConfig({ service, stores, scheduler, runtime }: RemoteConfigOptions) {
  /** Answers with the remote config, to whom the tenant's strategy lets send events. Throws ApiError. */
  async function remoteConfig(call: Call) {
    const { request, notes } = call;
    const ingestion = await findIngestion(service, call);
    const { tenantId, keyId } = await ingestion.authorize(readCredentials(call, OWN));
    request.admit?.(tenantId);
    notes.keyId = keyId;
    notes.tenantId = tenantId;
    const text = await readJsonText(request, tenantId);
    return scheduler.run(tenantId, request.signal, async () => {
      const userId = parseUserId(parseBody(text));
      const entries = await stores.tenants.remoteConfig(tenantId);
      return jsonResponse(call, JSON.stringify(toAnswer(userId, entries, runtime.now())));
    });
  }

  return { remoteConfig };
}

function parseUserId(body: unknown): string | null {
  if (!isJsonObject(body)) throw invalid('body', `takes an object, got ${describeValue(body)}`);
  const { userId = null } = body;
  if (userId === null) return null;
  if (typeof userId === 'string' && userId !== '' && userId.length <= NAME_LENGTH_MAX) return userId;
  const takes = `takes a string of 1 to ${NAME_LENGTH_MAX} characters, or nothing`;
  throw invalid('userId', `${takes}, got ${describeValue(userId)}`);
}

function toAnswer(userId: string | null, entries: readonly ConfigEntry[], now: number): RemoteConfigAnswer {
  return {
    userId,
    snapshotId: checksum(entries.flatMap(({ key, value }) => [key, value])).toString(36),
    configurations: Object.fromEntries(entries.map(({ key, value }) => [key, value])),
    isFinal: true,
    qualifiedSegments: [],
    qualifiedRuleSets: [],
    timestamp: toIsoInstant(now),
    isFromCache: false,
  };
}
