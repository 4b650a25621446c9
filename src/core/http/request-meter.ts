import type { ErrorCode } from '../base/errors.ts';
import {
  METHOD_LABELS,
  SILENT_METER,
  toMethodLabel,
  type Meter,
  type MetricLabels,
} from '../base/metrics.ts';
import type { FinishedRequest } from './finished.ts';

type AuthFailure = MetricLabels<'event_query_auth_failures_total'>['reason'];
type AnsweredEvents = MetricLabels<'event_query_answered_events_total'>['operation'];
type RefusedBecause = MetricLabels<'event_query_requests_refused_total'>['reason'];

/** The errors that refuse a request because of who sent it. */
const AUTH_FAILURES: Readonly<Partial<Record<ErrorCode, AuthFailure>>> = {
  missingKey: 'missing',
  invalidKey: 'invalid',
  invalidSecret: 'invalid',
  invalidToken: 'token',
  notSignedIn: 'session',
  otherSession: 'session',
  linkSpent: 'session',
  loginLost: 'session',
  signInRefused: 'session',
  noRole: 'permission',
  roleTooLow: 'permission',
  partialKey: 'permission',
  planTooLow: 'plan',
};

/** The errors that refuse a request because the server would leave its bounds. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, RefusedBecause>>> = {
  overloaded: 'memory',
  requestTimeout: 'slow_body',
  bodyTooLarge: 'body_size',
};

/** The operations whose rows are events. */
const OF_EVENTS: Readonly<Record<AnsweredEvents, true>> = {
  query: true,
  top: true,
  tail: true,
  export: true,
};

/** Measures the requests of a handler. */
export interface RequestMeter {
  /** Takes note of a request that begins. */
  begin(method: string): void;
  /** Measures a request that is over, and was let in for a tenant or for none. */
  end(finished: FinishedRequest, tenantId: string | undefined): void;
}

/** Makes the meter of the requests of one handler; undefined where nobody asks for metrics. */
export function createRequestMeter(meter: Meter): RequestMeter | undefined {
  if (meter === SILENT_METER) return undefined;
  const active = new Map(METHOD_LABELS.map((method) => [method, 0]));
  for (const method of METHOD_LABELS) {
    meter.gauge('http_server_active_requests', { http_request_method: method }, () => active.get(method)!);
  }

  function noteError(error: FinishedRequest['error']): void {
    if (error === undefined || error === 'aborted') return;
    const [sender, bound] = [AUTH_FAILURES[error], REFUSALS[error]];
    if (sender !== undefined) meter.count('event_query_auth_failures_total', { reason: sender });
    if (bound !== undefined) meter.count('event_query_requests_refused_total', { reason: bound });
  }

  return {
    begin(method) {
      const label = toMethodLabel(method);
      active.set(label, active.get(label)! + 1);
    },
    end(finished, tenantId) {
      const { method, route = 'unknown', status, durationMs, operation, rows } = finished;
      const { tenant, bytesIn, bytesOut, error } = finished;
      // A request without a key of the tenant, such as one of the dashboard, names the tenant only here.
      if (tenantId !== undefined && tenant !== undefined) meter.meetTenant?.(tenantId, tenant);
      const label = toMethodLabel(method);
      active.set(label, active.get(label)! - 1);
      const labels = {
        http_request_method: label,
        http_route: route,
        http_response_status_code: String(status),
      };
      meter.observe('http_server_request_duration_seconds', labels, durationMs / 1000, tenantId);
      const ofRoute = { http_route: route };
      if (bytesIn !== undefined) meter.observe('http_server_request_body_size_bytes', ofRoute, bytesIn);
      meter.observe('http_server_response_body_size_bytes', ofRoute, bytesOut);
      if (isOfEvents(operation) && rows !== undefined)
        meter.count('event_query_answered_events_total', { operation }, rows, tenantId);
      noteError(error);
    },
  };
}

function isOfEvents(operation: string): operation is AnsweredEvents {
  return Object.hasOwn(OF_EVENTS, operation);
}
