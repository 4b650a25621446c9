import { MAPPINGS } from '../../adapters/import/formats.ts';
import { describeMapping } from '../../adapters/import/mappings/describe.ts';
import { MIXPANEL_PATHS, type MixpanelPathRow } from '../../adapters/sdks/events/mixpanel.ts';
import { RUDDERSTACK_CALLS, SEGMENT_CALLS, sdkProtocols, type CallRow } from '../../adapters/sdks/index.ts';
import { ENTRY_KB_MAX } from '../package/sizes.ts';
import { METRICS, type MetricRow } from '../../src/core/base/metrics.ts';
import { ERRORS } from '../../src/core/base/errors.ts';
import { PLAN_NAMES, planOf } from '../../src/core/access/plan.ts';
import { EVENT_INPUT_FIELDS, type EventInputField } from '../../src/core/event/event-fields.ts';
import { ADMIN_ROUTES, type AdminRoute } from '../../src/core/http/admin-routes.ts';
import { routesOf } from '../../src/core/http/protocol-routes.ts';
import { ROUTES } from '../../src/core/http/route.ts';
import { COMPARISONS } from '../../src/internal.ts';
import { OPERAND_KINDS } from '../../src/store-kit.ts';

/** A Markdown table of rows of cells. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const escape = (cell: string) => cell.replace(/\|/g, '\\|');
  const toRow = (cells: readonly string[]) => `| ${cells.map(escape).join(' | ')} |`;
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n');
}

/** The table of errors, as the page of the HTTP API prints it. */
export function errorTable(): string {
  const rows = Object.values(ERRORS).map(({ status, pattern }) => [String(status), `\`${pattern}\``]);
  return toTable(['status', '`error`'], rows);
}

/** The table of plans, as the page of the HTTP API prints it. */
export function planTable(): string {
  const rows = PLAN_NAMES.map((plan) => {
    const { queryApi, limits } = planOf({ plan, limits: null });
    const name = plan.charAt(0).toUpperCase() + plan.slice(1);
    if (!queryApi) return [name, 'no Query API', 'no Query API'];
    if (limits === null) return [name, 'your own, or none', 'your own, or none'];
    return [name, String(limits.perMinute), String(limits.perDay)];
  });
  return toTable(['plan', 'requests a minute', 'requests a day'], rows);
}

/** The table of operators, as the page of the HTTP API prints it. */
export function operatorTable(): string {
  const rows = Object.entries(COMPARISONS).map(([name, { takes, meaning }]) => [
    `\`${name}\``,
    OPERAND_KINDS[takes].words,
    meaning,
  ]);
  return toTable(['`comparison`', '`value`', 'matches when the value at the path'], rows);
}

/** The operators as the command line takes them, as its page prints them. */
export function writtenOperatorTable(): string {
  const rows = Object.entries(COMPARISONS).map(([name, { written, takes }]) => [
    `\`${written}\``,
    `\`${name}\``,
    takes === 'none' ? 'nothing' : OPERAND_KINDS[takes].words,
  ]);
  return toTable(['operator', 'or its name in the HTTP API', 'takes'], rows);
}

/** The fields of an event as it is sent, as the page of the HTTP API prints them. */
export function eventFieldTable(): string {
  const rows = Object.entries<EventInputField>(EVENT_INPUT_FIELDS).map(
    ([name, { takes, more, required }]) => [
      `\`${name}\`${required ? ', required' : ''}`,
      more === undefined ? takes : `${takes}; ${more}`,
    ],
  );
  return toTable(['field', 'takes'], rows);
}

/** The table of routes of the Admin API, as its page prints it; the questions are those of the HTTP API. */
export function adminRouteTable(routes: readonly AdminRoute[] = ADMIN_ROUTES): string {
  const rows = routes
    .filter(({ path }) => !path.includes('/query/'))
    .map(({ methods, path, caller, body, answer }) => [
      methods.join(', '),
      `\`${path}\``,
      caller,
      body,
      answer,
    ]);
  return toTable(['method', 'path', 'who', 'body', 'answer'], rows);
}

/** The table of routes, as the page of the HTTP API prints it. */
export function routeTable(): string {
  const rows = ROUTES.map(({ methods, path, body, answer }) => [
    methods.join(', '),
    `\`${path}\``,
    body,
    answer,
  ]);
  return toTable(['method', 'path', 'body', 'answer'], rows);
}

/** The table of the routes of SDKs, as their page prints it. */
export function sdkRouteTable(): string {
  const rows = routesOf(sdkProtocols()).map(({ methods, path, values, described }) => [
    methods.join(', '),
    `\`${path}\``,
    values?.map((value) => `\`${value}\``).join(', ') ?? '',
    described.summary,
  ]);
  return toTable(['method', 'path', 'its last part', 'what it does'], rows);
}

/** The table of the calls of Segment, as their page prints it. */
export const segmentTable = (): string => callTable(SEGMENT_CALLS);

/** The table of the calls of RudderStack. */
export const rudderstackTable = (): string => callTable(RUDDERSTACK_CALLS);

function callTable(calls: Readonly<Record<string, CallRow>>): string {
  const rows = Object.entries(calls).map(([type, { eventName, content }]) => [
    `\`${type}\``,
    eventName === undefined ? 'its `event`' : `\`${eventName}\``,
    `\`${content}\``,
  ]);
  return toTable(['`type`', '`eventName`', 'its own properties are in'], rows);
}

/** The table of the paths of Mixpanel, as their page prints it. */
export function mixpanelTable(): string {
  const rows = Object.entries<MixpanelPathRow>(MIXPANEL_PATHS).map(([path, { eventName }]) => [
    `\`/${path}\``,
    eventName === undefined ? 'its `event`' : `\`${eventName}\``,
  ]);
  return toTable(['a message to', 'has the `eventName`'], rows);
}

/** The table of metrics, as their page prints it. */
export function metricTable(): string {
  const rows = Object.entries<MetricRow>(METRICS).map(
    ([name, { type, labels, help, perTenant, across = 'sum' }]) => [
      `\`${name}\``,
      type === 'gauge' ? `gauge (${across})` : type,
      [...Object.entries(labels), ...(perTenant === true ? [['tenant', 'by option'] as const] : [])]
        .map(([label, of]) => `\`${label}\`: ${typeof of === 'string' ? of : of.join(', ')}`)
        .join('<br>'),
      help,
    ],
  );
  return toTable(['metric', 'type', 'labels', 'meaning'], rows);
}

/** What an import costs: the sizes that the package's own tests hold. */
export function sizeTable(): string {
  const rows = Object.entries(ENTRY_KB_MAX).map(([entry, most]) => `| \`${entry}\` | ${most} |`);
  return ['| what a bundle loads | kB at most |', '| --- | --- |', ...rows].join('\n');
}

/** How records of other tools become events, as the page of imports prints it. */
export function mappingTable(): string {
  const fields = ['eventName', 'userId', 'eventTs', 'insertId', 'properties'];
  const rows = Object.entries(MAPPINGS).map(([name, mapping]) => {
    const described = describeMapping(mapping);
    return [`\`${name}\``, ...fields.map((field) => described[field] ?? '')];
  });
  return toTable(['format', ...fields.map((field) => `\`${field}\``)], rows);
}
