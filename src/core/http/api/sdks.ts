import { amplitudeProtocol } from '../protocols/amplitude.ts';
import { mixpanelProtocol } from '../protocols/mixpanel.ts';
import type { SdksRuntime } from '../protocols/identified.ts';
import { OWN } from '../protocols/own.ts';
import { posthogConfig, posthogFlags, posthogProtocol } from '../protocols/posthog.ts';
import { rudderstackBeacon, rudderstackConfig, rudderstackProtocol } from '../protocols/rudderstack.ts';
import { segmentProtocol, segmentSettings } from '../protocols/segment.ts';
import { PAGE_SNAPSHOT, USER_PROPERTIES } from '../protocols/web-sdk.ts';
import type { Call, Operation } from '../operation.ts';
import { jsonResponse } from '../response.ts';
import type { RouteName } from '../route.ts';
import { createReceive, findIngestion, type IngestionOptions } from './ingestion.ts';

/** Makes the operations that store batches of events, and those that the SDKs of others ask beside. */
export function createIngestion(options: IngestionOptions & { readonly runtime: SdksRuntime }) {
  const receive = createReceive(options);
  const mixpanel = mixpanelProtocol(options.runtime);
  const amplitude = amplitudeProtocol(options.runtime);
  const segment = segmentProtocol(options.runtime);
  const rudderstack = rudderstackProtocol(options.runtime);
  const beacon = rudderstackBeacon(options.runtime);
  const posthog = posthogProtocol(options.runtime);

  /** Lets any sender in that knows the tenant. Throws ApiError. */
  async function letIn(call: Call): Promise<void> {
    const { tenantId } = await findIngestion(options.service, call);
    call.notes.tenantId = tenantId;
  }

  /** Answers any sender that knows the tenant; the answer holds nothing of the tenant. */
  const tell =
    (toAnswer: (call: Call) => object): Operation =>
    async (call) => {
      await letIn(call);
      return jsonResponse(call, JSON.stringify(toAnswer(call)));
    };

  return {
    ingest: (call) => receive(call, OWN),
    userProperties: (call) => receive(call, USER_PROPERTIES),
    pageSnapshot: (call) => receive(call, PAGE_SNAPSHOT),
    rescueCampaigns: tell(() => []),
    clientTrackers: tell(() => ({ trackers: [] })),
    trackers: tell(() => []),
    // The SDKs then never start the debug mode, whose other routes do not exist.
    verifyDebugSession: tell(() => ({ valid: false })),
    segment: (call) => receive(call, segment),
    segmentMetrics: tell(() => ({ success: true })),
    segmentSettings: tell(segmentSettings),
    rudderstack: (call) => receive(call, rudderstack),
    rudderstackBeacon: (call) => receive(call, beacon),
    rudderstackConfig: tell(rudderstackConfig),
    posthog: (call) => receive(call, posthog),
    posthogEvent: (call) => receive(call, posthog),
    posthogConfig: tell(posthogConfig),
    posthogFlags: tell(posthogFlags),
    posthogScript: async (call) => {
      await letIn(call);
      // An empty script: the SDK then asks for the settings as JSON.
      return { status: 200, headers: { ...call.headers, 'Content-Type': 'text/javascript' }, body: '' };
    },
    mixpanel: (call) => receive(call, mixpanel),
    mixpanelSettings: tell(() => ({})),
    mixpanelFlags: tell(() => ({ flags: {} })),
    amplitude: (call) => receive(call, amplitude),
    amplitudeBatch: (call) => receive(call, amplitude),
  } satisfies Partial<Record<RouteName, Operation>>;
}
