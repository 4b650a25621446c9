import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type Database from 'better-sqlite3';
import type { Verification } from '../../../adapters/sqlite/index.ts';
import type { Stores } from '../../../src/index.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import {
  flipBytes,
  look,
  prepareIsStoredEvent,
  readPlainly,
  save,
  type EventRow,
  type Flips,
} from '../../adapters/sqlite/flips.ts';
import { eventsFrom, newFile, openRaw, openStores, queryOf } from '../../adapters/sqlite/fixtures.ts';
import { withAdmin } from '../../support/file.ts';
import { answersOf, askControl, askEvents, type Answers, type Tenants } from './answers.ts';

/** A sound file, what it holds and what it answers. */
export interface SoundFile {
  readonly bytes: Buffer;
  readonly tenants: Tenants;
  readonly rows: readonly EventRow[];
  readonly events: Answers;
  readonly control: Answers;
  /** The pages of all that is not events: tenants, keys, catalogues, columns, and the ways to the events. */
  readonly otherPages: readonly number[];
}

/** Pages of rows of events, and of the index of their identities, which are most of a file. */
const OTHER_PAGES = `
  SELECT pageno FROM dbstat
  WHERE NOT (name IN ('events', 'sqlite_autoindex_events_1') AND pagetype IN ('leaf', 'overflow'))`;

/** A number of one digit, or a text that needs pages of its own. */
const digitOrText = (i: number) => (i % 20 === 0 ? `${i} `.repeat(1500) : i % 5);

/** Makes a file of three tenants, with keys and erased events; it stores columns from 32,768 events on. */
export async function createAnsweringFile(largest: number): Promise<SoundFile> {
  const file = newFile();
  const tenants: Record<string, string> = {};
  await withAdmin(file, async (admin) => {
    for (const alias of ['large', 'middle', 'small']) {
      tenants[alias] = (await admin.createTenant({ alias, plan: 'scale' })).id;
      await admin.createKey(alias, { name: 'test', permissions: ['query', 'ingest'] });
    }
  });
  const { large, middle, small } = tenants as { large: string; middle: string; small: string };
  const stores = openStores(file);
  const { events } = stores;
  for (let from = 0; from < largest; from += 2000)
    await events.append(large, eventsFrom(from, Math.min(2000, largest - from)));
  await events.append(middle, eventsFrom(0, 300, digitOrText));
  await events.erase(middle, queryOf({ property: 'userId', comparison: 'EQUALS', value: 'user-5' }));
  await events.append(middle, eventsFrom(300, 100, digitOrText));
  await events.append(small, eventsFrom(0, 50));
  await askEvents(events, tenants);
  await stores.close();
  const whole = newFile();
  const raw = openRaw(file);
  raw.prepare('VACUUM INTO ?').run(whole);
  const copy = openRaw(whole);
  const sound = openStores(whole);
  return {
    bytes: readFileSync(whole),
    tenants,
    rows: copy.prepare('SELECT * FROM events').all() as EventRow[],
    events: await askEvents(sound.events, tenants),
    control: await askControl(sound, tenants),
    otherPages: copy.prepare(OTHER_PAGES).pluck().all() as number[],
  };
}

/** What has become of one file. */
interface Judged {
  /** Whether `check` found something that matters, or could not read the file. */
  readonly isFound: boolean;
  /** How many answers of the file, where it opens, are wrong, and how many fail. */
  readonly wrong: number;
  readonly failed: number;
  /** How many events the file had, and how many are in the new one. */
  readonly kept: number;
  readonly lost: number;
  /** What is wrong with the check or the repair, as sentences. */
  readonly faults: readonly string[];
}

/** Flips some bytes, and compares what the file answers, what `check` says and what `--repair` saves. */
export async function judgeAnswers(sound: SoundFile, flips: Flips): Promise<Judged> {
  const file = flipBytes(sound.bytes, flips);
  const looked = look(file);
  const { to, saved } = save(file);
  const scratch = openRaw(newFile());
  const plain = readPlainly(
    file,
    sound.rows.map(({ id }) => id),
  );
  const readable = [...plain.values()].filter(prepareIsStoredEvent(scratch));
  const isFound = looked instanceof Error || looked.findings.some(({ matters }) => matters);
  const faults: string[] = [];
  const { events, control, refused } = await askFile(file, sound.tenants);
  const differing = differences(events, sound.events);
  if (!isFound) {
    if (refused !== undefined) faults.push(`check finds nothing in a file that does not open: ${refused}`);
    faults.push(...findUnfound(sound, plain, scratch));
    for (const [what, answer] of control)
      if (answer instanceof Error || !isDeepStrictEqual(idsOf(answer), idsOf(sound.control.get(what))))
        faults.push(`not found: ${what} is wrong`);
    const changed =
      differing.length > 0 ? await answersOf(byTenant(sound, readable, scratch), sound.tenants) : events;
    for (const what of differing)
      if (!isDeepStrictEqual(events.get(what), changed.get(what))) faults.push(`not found: ${what} is wrong`);
  }
  const kept = saved instanceof Error ? 0 : judgeSaved(sound, { to, saved, readable }, faults);
  if (saved instanceof Error && readable.length > 0) faults.push(`nothing was saved: ${saved.message}`);
  const failed = differing.filter((what) => events.get(what) instanceof Error).length;
  return { isFound, wrong: differing.length - failed, failed, kept, lost: sound.rows.length - kept, faults };
}

/** What a file answers when a server opens it; why it does not open, if it does not. */
async function askFile(file: string, tenants: Tenants) {
  const copy = newFile();
  writeFileSync(copy, readFileSync(file));
  let stores: Stores;
  try {
    stores = openStores(copy);
  } catch (error) {
    return {
      events: new Map<string, unknown>(),
      control: new Map<string, unknown>(),
      refused: String(error),
    };
  }
  const [control, events] = [await askControl(stores, tenants), await askEvents(stores.events, tenants)];
  await stores.close();
  return { events, control, refused: undefined };
}

/** The ids of tenants or keys. Their names and dates may become others, of which nothing tells. */
const idsOf = (answer: unknown) => [answer].flat().map((each) => (each as { id: string } | undefined)?.id);

/** Which answers are not those that are due. */
function differences(given: Answers, due: Answers): string[] {
  return [...given.keys()].filter((what) => !isDeepStrictEqual(given.get(what), due.get(what)));
}

/**
 * What a file in which `check` finds nothing lacks or has otherwise. A user's id or a property's value may
 * have become another one that a client can have sent, and a name another one that the log has: of that
 * nothing tells.
 */
function findUnfound({ rows }: SoundFile, plain: ReadonlyMap<number, EventRow>, scratch: Database.Database) {
  const isStored = prepareIsStoredEvent(scratch);
  const faults = rows.flatMap((row) => {
    const now = plain.get(row.id);
    if (now === undefined) return [`not found: event ${row.id} is not there`];
    if (!isStored(now)) return [`not found: no client can have sent event ${row.id}`];
    return ['log', 'ts', 'insert_id', 'received_at']
      .filter((column) => now[column] !== row[column])
      .map((column) => `not found: ${column} of event ${row.id} is ${String(now[column])}`);
  });
  const namesOf = (events: Iterable<EventRow>) =>
    [...new Set([...events].map(({ log, name }) => `${String(log)} ${String(name)}`))].sort();
  const [before, now] = [namesOf(rows), namesOf(plain.values())];
  if (!isDeepStrictEqual(now, before)) faults.push(`not found: the names by log are ${now.join(', ')}`);
  return faults;
}

/** Rows as the events of their tenants. */
function byTenant(
  { bytes }: Pick<SoundFile, 'bytes'>,
  rows: readonly EventRow[],
  scratch: Database.Database,
) {
  const toText = scratch.prepare('SELECT json(?)').pluck();
  const file = newFile();
  writeFileSync(file, bytes);
  const selectTenant = openRaw(file).prepare('SELECT tenant_id FROM logs WHERE number = ?').pluck();
  const events = new Map<string, StoredEvent[]>();
  for (const row of rows) {
    const tenantId = selectTenant.get(row.log) as string;
    const of = events.get(tenantId) ?? [];
    events.set(tenantId, of);
    of.push({
      ...{ eventName: row.name as string, userId: row.user_id as string, eventTs: row.ts as number },
      ...{ insertId: row.insert_id as string, propertiesJson: toText.get(row.properties) as string },
    });
  }
  return events;
}

interface Saved {
  readonly to: string;
  readonly saved: Exclude<ReturnType<typeof save>['saved'], Error>;
  readonly readable: readonly EventRow[];
}

/** Judges a new file: whether it has all that is readable, and lists all that is not in it. */
function judgeSaved({ rows, tenants }: SoundFile, { to, saved, readable }: Saved, faults: string[]): number {
  const target = openRaw(to);
  const ids = new Set(target.prepare('SELECT id FROM events').pluck().all() as number[]);
  const one = target.prepare('SELECT 1 FROM events WHERE log = ? AND ts = ? AND insert_id = ?');
  for (const { id, log, ts, insert_id: insertId } of readable)
    if (one.get(log, ts, insertId) === undefined)
      faults.push(`event ${id} is readable and not in the new file`);
  const missing = rows.filter(({ id }) => !ids.has(id));
  const countOf = (losses: typeof saved.losses) => losses.reduce((sum, { events }) => sum + events, 0);
  const said = countOf(saved.losses);
  // Where the list of erased events is damaged, nothing tells these from lost ones.
  const doubtful = countOf(saved.losses.filter(({ message }) => message.includes('were erased or')));
  if (said < missing.length || said - doubtful > missing.length)
    faults.push(`${missing.length} events are lost, and ${said} are listed`);
  const unlisted = missing.filter(
    ({ id }) => !saved.losses.some((loss) => namesRow(loss.message, id % 2 ** 32)),
  );
  if (unlisted.length > 0) faults.push(`lost and not listed: ${unlisted.map(({ id }) => id).join(', ')}`);
  const again = look(to) as Verification;
  faults.push(...again.findings.map(({ message }) => `the new file: ${message}`));
  for (const [alias, id] of Object.entries(tenants)) {
    const there = target.prepare("SELECT 1 FROM documents WHERE kind = 'tenant' AND id = ?").get(id);
    const isSaid = saved.losses.some(({ message }) => /tenants|nothing says whose/.test(message));
    if (there === undefined && !isSaid) faults.push(`the tenant ${alias} is not in the new file`);
  }
  return ids.size;
}

/**
 * Whether a sentence about losses names a row. Of many ranges it names only the first: each row behind these
 * may be one of the others.
 */
export function namesRow(message: string, row: number): boolean {
  const [, named, others] = /at the rows ([\d, to]+?)( and \d+ more ranges)?, of/.exec(message) ?? [];
  if (named === undefined) return false;
  const ranges = named.split(', ').map((range) => range.split(' to ').map(Number));
  const isNamed = ranges.some(([first, last = first]) => row >= first! && row <= last!);
  return isNamed || (others !== undefined && row > ranges.at(-1)!.at(-1)!);
}
