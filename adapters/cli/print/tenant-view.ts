import type { Engine, Tenant } from '../../../src/index.ts';
import { ingestionOf, planOf } from '../../../src/internal.ts';
import { toIsoInstant, type JwtSettings, type IngestionLimits, type Limits } from '../../../src/store-kit.ts';
import { printJson, printRows } from './output.ts';
import type { TableColumn } from './table.ts';

/** A tenant as `--json` prints it; create, set, show and list use the same names. */
export interface TenantView {
  /** The UUID. */
  readonly id: string;
  readonly alias: string;
  readonly name: string;
  readonly plan: string;
  /** Null for no limit at all. */
  readonly limits: Limits | null;
  /** Null for no limit at all. */
  readonly ingestion: IngestionLimits | null;
  /** Null: events are kept for ever. */
  readonly retentionDays: number | null;
  readonly authStrategy: string;
  readonly jwt: JwtSettings | null;
  /** How many events are stored. */
  readonly events: number;
  readonly createdAt: string;
}

/** The part of `--help` about the JSON. */
export const TENANT_FIELDS_HELP = `
--json prints id (the UUID), alias, name, plan, limits ({perMinute, perDay}, null for none),
ingestion ({eventsPerMinute, bytesPerMinute}, null for no limit), retentionDays (how long events are kept,
null for ever), authStrategy, jwt, events (the number stored) and createdAt. list prints an array.`;

/** The columns of a list of tenants. */
export const TENANT_COLUMNS: readonly TableColumn<TenantView>[] = [
  { head: 'ALIAS', text: ({ alias }) => alias },
  { head: 'PLAN', text: ({ plan }) => plan },
  { head: 'LIMITS', text: ({ limits }) => describeLimits(limits) },
  { head: 'AUTH', text: ({ authStrategy }) => authStrategy },
  { head: 'EVENTS', text: ({ events }) => String(events) },
  { head: 'KEPT', text: ({ retentionDays }) => describeRetention(retentionDays) },
  { head: 'CREATED AT', text: ({ createdAt }) => createdAt },
  { head: 'NAME', text: ({ name }) => name },
];

/** Makes the view of a tenant; counts its events. */
export async function toTenantView(tenant: Tenant, engine: Engine): Promise<TenantView> {
  const { id, alias, name, retentionDays, authStrategy, jwt, createdAt } = tenant;
  const { name: plan, limits } = planOf(tenant);
  const events = await engine.tenant(id).count({});
  const created = toIsoInstant(createdAt);
  return {
    id,
    alias,
    name,
    plan,
    limits,
    ingestion: ingestionOf(tenant),
    retentionDays,
    authStrategy,
    jwt,
    events,
    createdAt: created,
  };
}

/** Prints one tenant: one field per line, or JSON. */
export async function printTenant(view: TenantView, json?: boolean): Promise<void> {
  if (json === true) return printJson(view);
  const { jwt } = view;
  const rows: [string, string][] = [
    ['id', view.id],
    ['alias', view.alias],
    ['name', view.name],
    ['plan', view.plan],
    ['limits', describeLimits(view.limits)],
    ['ingestion', describeIngestion(view.ingestion)],
    ['retentionDays', describeRetention(view.retentionDays)],
    ['authStrategy', view.authStrategy],
    ['events', String(view.events)],
    ['createdAt', view.createdAt],
  ];
  if (jwt !== null) {
    rows.push(['jwt.issuer', jwt.issuer], ['jwt.audience', jwt.audience]);
    rows.push(jwt.jwksUrl === undefined ? ['jwt.publicKeyPem', 'set'] : ['jwt.jwksUrl', jwt.jwksUrl]);
  }
  await printRows(rows, [
    { head: 'FIELD', text: ([field]) => field },
    { head: 'VALUE', text: ([, value]) => value },
  ]);
}

function describeLimits(limits: Limits | null): string {
  return limits === null ? 'none' : `${limits.perMinute}/min ${limits.perDay}/day`;
}

function describeIngestion(limits: IngestionLimits | null): string {
  return limits === null ? 'none' : `${limits.eventsPerMinute} events/min ${limits.bytesPerMinute} bytes/min`;
}

function describeRetention(days: number | null): string {
  return days === null ? 'for ever' : `${days} days`;
}
