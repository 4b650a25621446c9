import { isApiError, type ErrorCode } from '../base/errors.ts';
import { METHOD_LABELS, toMethodLabel, type Meter, type MetricLabels } from '../base/metrics.ts';
import type { FoundRoute, Route } from './route.ts';

type AuthFailure = MetricLabels<'event_query_auth_failures_total'>['reason'];
type Refusal = MetricLabels<'event_query_requests_refused_total'>['reason'];

/** The errors that refuse a request because of who sent it. */
const AUTH_FAILURES: Readonly<Partial<Record<ErrorCode, AuthFailure>>> = {
  missingKey: 'missing',
  invalidKey: 'invalid',
  invalidSecret: 'invalid',
  invalidToken: 'token',
  notSignedIn: 'session',
  linkSpent: 'session',
  loginLost: 'session',
  signInRefused: 'session',
  noRole: 'permission',
  roleTooLow: 'permission',
  planTooLow: 'plan',
};

/** The errors that refuse a request because the server would leave its bounds. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, Refusal>>> = {
  overloaded: 'memory',
  requestTimeout: 'slow_body',
  bodyTooLarge: 'body_size',
};

/** Measures the requests of a handler. */
export interface RequestMeter {
  /** Begins to measure a request; the function that it returns ends it with the status of the answer. */
  begin(method: string, found: FoundRoute<Route> | undefined): (status: number) => void;
  /** Counts why a request was refused. */
  refused(error: unknown): void;
}

/** Makes the meter of the requests of one handler. */
export function createRequestMeter(meter: Meter): RequestMeter {
  const active = new Map(METHOD_LABELS.map((method) => [method, 0]));
  for (const method of METHOD_LABELS) {
    meter.gauge('http_server_active_requests', { http_request_method: method }, () => active.get(method)!);
  }
  return {
    begin(method, found) {
      const label = toMethodLabel(method);
      const beganAt = meter.now();
      active.set(label, active.get(label)! + 1);
      return (status) => {
        active.set(label, active.get(label)! - 1);
        const labels = {
          http_request_method: label,
          http_route: found?.route.path ?? 'unknown',
          http_response_status_code: String(status),
        };
        meter.observe('http_server_request_duration_seconds', labels, (meter.now() - beganAt) / 1000);
      };
    },
    refused(error) {
      if (!isApiError(error)) return;
      const [sender, bound] = [AUTH_FAILURES[error.code], REFUSALS[error.code]];
      if (sender !== undefined) meter.count('event_query_auth_failures_total', { reason: sender });
      if (bound !== undefined) meter.count('event_query_requests_refused_total', { reason: bound });
    },
  };
}
