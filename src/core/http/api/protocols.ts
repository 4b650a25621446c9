import type { HttpResponse } from '../message.ts';
import type { Call, Operation } from '../operation.ts';
import { OWN } from '../protocols/own.ts';
import type { ServedRoute } from '../protocol-routes.ts';
import { PAGE_SNAPSHOT, USER_PROPERTIES } from '../protocols/web-sdk.ts';
import { jsonResponse } from '../response.ts';
import type { RouteName } from '../route.ts';
import { createReceive, findIngestion, type IngestionOptions } from './ingestion.ts';

/**
 * Makes the operations that store events as this API and the web SDKs send them, those that the web SDKs ask
 * besides, and `ofProtocols`: those of other protocols, by the names of their routes.
 */
export function createIngestion(options: IngestionOptions, routes: readonly ServedRoute[]) {
  const receive = createReceive(options);

  /** Answers any sender that knows the tenant; the answer holds nothing of the tenant. */
  const tell =
    (toAnswer: (call: Call) => HttpResponse): Operation =>
    async (call) => {
      const { tenantId } = await findIngestion(options.service, call);
      call.notes.tenantId = tenantId;
      return toAnswer(call);
    };
  const tellJson = (answer: object) => tell((call) => jsonResponse(call, JSON.stringify(answer)));

  const own = {
    ingest: (call) => receive(call, OWN),
    userProperties: (call) => receive(call, USER_PROPERTIES),
    pageSnapshot: (call) => receive(call, PAGE_SNAPSHOT),
    rescueCampaigns: tellJson([]),
    clientTrackers: tellJson({ trackers: [] }),
    trackers: tellJson([]),
    // The SDKs then never start the debug mode, whose other routes do not exist.
    verifyDebugSession: tellJson({ valid: false }),
  } satisfies Partial<Record<RouteName, Operation>>;
  const toOperation = ({ takes }: ServedRoute): Operation =>
    typeof takes === 'function' ? tell(takes) : (call) => receive(call, takes);
  const ofProtocols = Object.fromEntries(routes.map((route) => [route.name, toOperation(route)]));
  return { own, ofProtocols };
}
