import type { TestTenant } from '../support/file.ts';

/** The tenants that a client uses. */
export interface SoakTenants {
  /** Only this client writes to it, so that its counts can be judged. */
  readonly own: TestTenant;
  /** On a plan without the Query API. */
  readonly free: TestTenant;
  /** With one request a minute. */
  readonly limited: TestTenant;
}

/** What a client process is told to do. */
export interface ClientTask {
  readonly origin: string;
  readonly tenants: SoakTenants;
  readonly seed: number;
  /** What is sent: requests of all kinds one by one, a mix of all kinds, or the costly ones. */
  readonly mix: 'each' | 'all' | 'heavy';
  /**
   * How it is sent: `closed` waits for each answer on as many connections, `open` sends at a rate whatever
   * comes back.
   */
  readonly pace: { readonly open: number } | { readonly closed: number };
  readonly seconds: number;
  /** Whether it ends by reading all of its tenant back. */
  readonly verify: boolean;
}

/** One answer as a figure. */
export interface Sample {
  readonly kind: string;
  readonly status: number;
  /** From sending to the end of the answer. */
  readonly ms: number;
  /** When it was sent, as a share of the task's time. */
  readonly at: number;
}

/** What a client process reports. */
export interface ClientReport {
  readonly samples: readonly Sample[];
  /** Requests that got no answer, by the reason. */
  readonly errors: Readonly<Record<string, number>>;
  /** Answers that were wrong; the first hundred. */
  readonly violations: readonly string[];
  /** Requests that were due and not sent, since too many were open. */
  readonly unsent: number;
  readonly eventsAcknowledged: number;
  readonly eventsSent: number;
  /** Events of the tenant at the end, -1 where it was not read. */
  readonly eventsStored: number;
}
