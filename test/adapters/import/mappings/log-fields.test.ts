import { expect, it } from 'vitest';
import { toFieldsRecord } from '../../../../adapters/import/mappings/log-fields.ts';
import { createLeftOut } from '../../../../adapters/import/readers/left-out.ts';
import type { JsonObject } from '../../../../src/index.ts';

const W3C = { date: '2024-06-04', time: '06:15:30', 'c-ip': '198.51.100.23', 'sc-status': '200' };
const JSON_LOG = { time_iso8601: '2024-06-04T06:15:30Z', remote_addr: '198.51.100.23', status: 200 };

/** How logs count the time that a request took: the fields of a request of so many seconds. */
const LOGS: Readonly<Record<string, (seconds: number) => JsonObject>> = {
  'IIS, in milliseconds': (seconds) => ({ ...W3C, 'time-taken': String(seconds * 1000) }),
  'CloudFront, in seconds': (seconds) => ({
    ...{ ...W3C, 'x-edge-location': 'FRA56-P1', 'time-taken': String(seconds) },
  }),
  'nginx, in seconds': (seconds) => ({ ...JSON_LOG, request_time: seconds.toFixed(3) }),
  'Traefik, in nanoseconds': (seconds) => ({
    ...{ StartUTC: '2024-06-04T06:15:30Z', ClientHost: '198.51.100.23', DownstreamStatus: 200 },
    Duration: seconds * 1e9,
  }),
  'a log in milliseconds': (seconds) => ({ ...JSON_LOG, duration_ms: seconds * 1000 }),
};

it.each(Object.entries(LOGS))(
  '%s: a whole and a broken number of seconds are as long as they were',
  (_, of) => {
    for (const seconds of [0, 0.013, 0.5, 1, 2, 61, 3600]) {
      const { duration } = toFieldsRecord(of(seconds), { salt: '', leftOut: createLeftOut() });
      expect(duration).toBe(seconds);
    }
  },
);
