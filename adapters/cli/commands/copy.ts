import type { Command } from 'commander';
import { followSource, startOf } from '../copy/arrivals.ts';
import { compareEvents, isSame, type StoreComparison } from '../copy/comparison.ts';
import { copyMissing, EVERYTHING, type Advance, type Sides } from '../copy/missing-events.ts';
import { checkTakes, copyTenant } from '../copy/tenant.ts';
import { CliError, failure, messageOf, misuse } from '../process/errors.ts';
import { note, printJson, write } from '../print/output.ts';
import { createProgress } from '../print/progress.ts';
import { listenForSignals, type Signals } from '../process/signals.ts';
import { refuseDamaged } from '../stores/damage.ts';
import { loadSqlite } from '../stores/drivers.ts';
import { nameOf, withStores, type Workplace } from '../stores/open-stores.ts';
import {
  ofFirstServers,
  placeOption,
  placesOf,
  toPlaces,
  type PlaceOptions,
  type ConnectionUrls,
} from '../stores/places.ts';
import { BACKENDS, type StoreUrl } from '../stores/store-url.ts';

/** How often the stores are compared; in between, events that arrived meanwhile are copied. */
const ROUNDS = 3;

interface CopyOptions {
  readonly from?: StoreUrl;
  readonly to?: StoreUrl;
  readonly toControl?: StoreUrl;
  readonly control?: StoreUrl;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const HELP = `
The tenant keeps its id. If --to can hold tenants, the settings and keys are copied there too, unless
--control or --to-control names a backend for them. Events that the target already has are not copied
again, so an interrupted copy can be run again. At the end both sides are compared: if they differ, the
exit code is 1. The printed hash is that of what export prints of either side. --follow keeps copying new
events, late ones included, until Ctrl-C, and then compares: stop writers to the source first. Events
erased at the source meanwhile must be erased at the target too.

Example:
  $ event-query copy shop --from sqlite:shop.db --to postgres://user@host/database
  $ event-query copy shop --from sqlite:shop.db --to clickhouse://user@host:8123/events --follow`;

/** `copy ALIAS`: copies a tenant from one place to another. */
export function copyCommand(program: Command): void {
  program
    .command('copy <alias>')
    .description('copy a tenant with its events to another backend, and compare both')
    .addOption(placeOption('from', 'events', 'the source of the events (default: --events)'))
    .addOption(placeOption('to', 'events', 'the target of the events'))
    .addOption(placeOption('to-control', 'control', 'the target of tenants and keys'))
    .option('--follow', 'keep copying new events until Ctrl-C')
    .option('--json', 'print {"copied", "events", "sha256"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, _options: object, self: Command) => {
      const options = self.optsWithGlobals<CopyOptions>();
      const [from, to] = findPlaces(self, options);
      // A lagging replica would look complete, so read from the main servers.
      await withStores(ofFirstServers(from), 'existing', (source) =>
        withStores(ofFirstServers(to), 'create', (target) =>
          copyAll(alias, { source, target, from, to }, options),
        ),
      );
    });
}

/** The places of both sides. Tenants stay at the source's place when the target cannot keep them. */
function findPlaces(
  self: Command,
  { from, to, control, toControl }: CopyOptions,
): [ConnectionUrls, ConnectionUrls] {
  if (to === undefined) throw misuse('name the target: --to URL');
  const source =
    from === undefined ? placesOf(self) : toPlaces({ ...self.optsWithGlobals<PlaceOptions>(), events: from });
  if (source.events.address === to.address) throw misuse('--from and --to are the same backend');
  const canControl = BACKENDS.control.some((kind) => kind === to.kind);
  const desk = toControl ?? control ?? (canControl ? to : source.control);
  // Limits are not copied: a tenant starts with full buckets.
  return [
    { ...source, limits: source.control },
    { events: to, control: desk, limits: desk },
  ];
}

interface CopyJob {
  readonly source: Workplace;
  readonly target: Workplace;
  readonly from: ConnectionUrls;
  readonly to: ConnectionUrls;
}

async function copyAll(alias: string, job: CopyJob, { follow = false, json }: CopyOptions): Promise<void> {
  const { source, target, from, to } = job;
  const { id } = await source.admin.getTenant(alias);
  const sides: Sides = { tenantId: id, source: source.stores.events, target: target.stores.events };
  const moveTenant = async () => {
    if (from.control.address === to.control.address) return;
    await copyTenant(await source.admin.getTenant(alias), source, target);
  };
  const signals = listenForSignals();
  try {
    await checkSource(from, id);
    await checkTakes(id, target);
    await moveTenant();
    const begin = await startOf(sides, follow);
    let copied = await withProgress(sides, (advance) => copyMissing(sides, advance), signals);
    if (follow) {
      note(`copied ${copied} events; following ${nameOf(from.events)} until Ctrl-C`);
      void signals.received.then(() => note('stopping: the rest is copied, then both sides are compared'));
      copied += await followSource(sides, begin, signals);
      await moveTenant();
    }
    // With --follow, Ctrl-C has ended the following; it must not end the comparison too.
    const { late, events, sha256 } = await settle(sides, follow ? undefined : signals);
    copied += late;
    if (json === true) return await printJson({ copied, events, sha256 });
    await write(`copied ${copied} events; ${nameOf(to.events)} holds all ${events}, sha256 ${sha256}\n`);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw failure(`${messageOf(error)}; copied events stay: run it again to continue`);
  } finally {
    signals.forget();
  }
}

/** Throws an Error for a damaged file: a part of its events would be told as all of them. */
async function checkSource({ events, control }: ConnectionUrls, tenantId: string): Promise<void> {
  if (events.kind !== 'sqlite') return;
  const { connect } = await loadSqlite();
  refuseDamaged(events.address, { connect, holdsTenants: control.address === events.address, tenantId });
}

/** Compares both sides and copies events that came meanwhile. Throws an Error when they stay different. */
async function settle(sides: Sides, signals: Signals | undefined) {
  let late = 0;
  for (let round = 1; ; round++) {
    const found = await withProgress(sides, (advance) => compareEvents(sides, advance), signals);
    if (isSame(found)) return { late, events: found.same, sha256: found.hashes.target };
    if (round === ROUNDS || found.added + found.different > 0) throw failure(describe(found));
    late += await copyMissing(sides, () => undefined);
  }
}

function describe({ missing, added, different }: StoreComparison): string {
  const counts = `the target lacks ${missing} events, has ${added} extra, and ${different} differ`;
  if (added + different === 0) return `${counts}: new events are arriving; use --follow, or stop writers`;
  return `${counts}; remove what only the target has with "event-query erase"`;
}

/** Does some work and shows its progress. A signal ends it; copied events stay. */
async function withProgress<T>(
  { source, tenantId }: Sides,
  work: (advance: Advance) => Promise<T>,
  signals: Signals | undefined,
): Promise<T> {
  const total = await source.count(tenantId, EVERYTHING);
  const progress = createProgress(total);
  let events = 0;
  try {
    return await work((more) => {
      events += more;
      progress.update(events, events);
      if (signals?.came() === true)
        throw failure(`interrupted at ${events} of ${total} events; run it again to continue`);
    });
  } finally {
    progress.stop();
  }
}
