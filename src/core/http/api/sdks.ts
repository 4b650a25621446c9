import { OWN } from '../protocols/own.ts';
import { SEGMENT, segmentSettings } from '../protocols/segment.ts';
import type { Call, Operation } from '../operation.ts';
import { jsonResponse } from '../response.ts';
import type { RouteName } from '../route.ts';
import { createReceive, findIngestion, type IngestionOptions } from './ingestion.ts';

/** Makes the operations that store batches of events, and those that the SDKs of others ask beside. */
export function createIngestion(options: IngestionOptions) {
  const receive = createReceive(options);

  /** Answers any sender that knows the tenant; the answer holds nothing of the tenant. */
  const tell =
    (toAnswer: (call: Call) => object): Operation =>
    async (call) => {
      await findIngestion(options.service, call);
      return jsonResponse(call, JSON.stringify(toAnswer(call)));
    };

  return {
    ingest: (call) => receive(call, OWN),
    segment: (call) => receive(call, SEGMENT),
    segmentMetrics: tell(() => ({ success: true })),
    segmentSettings: tell(segmentSettings),
  } satisfies Partial<Record<RouteName, Operation>>;
}
