import { ERRORS } from '../../../src/core/base/errors.ts';
import { splitTarget } from '../../../src/core/http/target.ts';
import type { Answer } from '../../support/answers.ts';
import { documented } from '../../support/documented.ts';
import { findServedRoute } from '../../support/served-routes.ts';
import type { LogEntry } from '../../support/test-server.ts';
import type { Outgoing } from './mutations.ts';

/** What an answer says, and what is wrong with it by itself. */
export interface Verdict {
  readonly faults: readonly string[];
  /** How many of its events the answer says are stored, now or before; undefined where it does not say. */
  readonly kept: number | undefined;
  /** The same of those that are new. */
  readonly accepted: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** 501 and the statuses of the Admin API are none of these routes'. */
const STATUSES: ReadonlySet<number> = new Set(
  Object.values(ERRORS)
    .map(({ status }) => status)
    .filter((status) => ![500, 501, 409, 421].includes(status)),
);

/** The name of the route of a target; undefined where there is none. */
export function routeOf({ target }: Pick<Outgoing, 'target'>) {
  return findServedRoute(splitTarget(target).path);
}

/** Judges an answer by its status and shape. `line` is the log's about it. */
export function judge(sent: Outgoing, answer: Answer, line: LogEntry['fields'] | undefined): Verdict {
  const { status, headers, body } = answer;
  const none = { kept: 0, accepted: 0 };
  if (status === 204 || sent.method === 'HEAD') return { faults: body === '' ? [] : ['a body'], ...none };
  if (status === 200) return judgeGood(sent, answer);
  const faults: string[] = [];
  if (!STATUSES.has(status)) faults.push('the status is not documented');
  if (headers['content-type'] !== 'application/json') faults.push('a refusal that is not JSON');
  if ((status === 429 || status === 503) && !/^[1-9]\d*$/.test(headers['retry-after'] ?? ''))
    faults.push('no Retry-After');
  const said = parsed(body);
  if (said === undefined) return { faults: [...faults, 'no JSON object'], ...none };
  faults.push(...faultsOfRefusal(sent, status, said, line));
  if (typeof said.num_records_imported === 'number')
    return { faults, kept: said.num_records_imported, accepted: undefined };
  // A 400 of Amplitude's that lists what was refused does not say how many others are stored.
  return 'rejected' in said ? { faults, kept: undefined, accepted: undefined } : { faults, ...none };
}

function judgeGood(sent: Outgoing, { headers, body, status }: Answer): Verdict {
  const faults: string[] = [];
  const type = headers['content-type'] ?? '';
  try {
    documented(sent, { status, headers: { 'Content-Type': type }, body });
  } catch (error) {
    faults.push(String(error));
  }
  const route = routeOf(sent);
  const isOther =
    route?.route.name === 'mixpanel' ? type === 'image/gif' : route?.route.name === 'posthogScript';
  if (isOther) return { faults, kept: undefined, accepted: undefined };
  if (type !== 'application/json') faults.push(`the type ${type}`);
  const said = parsed(body) ?? {};
  if (said.dryRun === true) return { faults, kept: 0, accepted: 0 };
  if (typeof said.accepted === 'number') {
    const { accepted, duplicates } = said as {
      accepted: number;
      duplicates: number;
    };
    return { faults, kept: accepted + duplicates, accepted };
  }
  const kept = said.events_ingested ?? said.num_records_imported;
  return {
    faults,
    kept: typeof kept === 'number' ? kept : undefined,
    accepted: undefined,
  };
}

function parsed(body: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}

const REFUSALS: Readonly<Record<string, readonly string[]>> = {
  mixpanel: ['error', 'status'],
  import: ['code', 'error', 'failed_records', 'num_records_imported', 'status'],
  amplitude: [
    ...[
      'code',
      'error',
      'missing_field',
      'events_with_invalid_fields',
      'events_with_missing_fields',
      'rejected',
    ],
    ...['eps_threshold', 'throttled_devices', 'throttled_users', 'throttled_events'],
  ],
};

function faultsOfRefusal(sent: Outgoing, status: number, said: Fields, line: Fields | undefined): string[] {
  const faults: string[] = [];
  if (typeof said.error !== 'string' || said.error.length > 1_100 || !said.error.isWellFormed())
    faults.push('no short, well-formed error');
  const found = routeOf(sent);
  // What the server refuses before the route is asked has the same body everywhere.
  const isOwn = line === undefined || status >= 500 || status === 405;
  const name = found?.route.name.replace('Batch', '') ?? '';
  const protocol = isOwn ? '' : name === 'mixpanel' && found!.parameter === 'import' ? 'import' : name;
  const allowed = REFUSALS[protocol] ?? ['error'];
  const others = Object.keys(said).filter((key) => !allowed.includes(key));
  if (others.length > 0) faults.push(`the fields ${others.join(', ')}`);
  if ((protocol === 'import' || protocol === 'amplitude') && said.code !== status)
    faults.push('another code');
  if (protocol === 'mixpanel' && said.status !== 0) faults.push('another status');
  return faults;
}
