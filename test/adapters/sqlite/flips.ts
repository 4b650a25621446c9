import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import {
  salvageSqlite,
  verifySqlite,
  type Salvage,
  type Verification,
} from '../../../adapters/sqlite/index.ts';
import { withAdmin } from '../../support/file.ts';
import { createRandom } from '../../support/random.ts';
import type { StoredEvent } from '../../../src/store-kit.ts';
import { eventsFrom, newFile, openRaw, openStores } from './fixtures.ts';

/** Which bytes are changed. */
export interface Flips {
  readonly seed: number;
  readonly count: number;
  /** The first byte that may change. */
  readonly from: number;
  /** The only pages in which bytes change. Default: all. */
  readonly pages?: readonly number[];
}

const PAGE_BYTES = 4096;

/** A row of events as it is stored. */
export interface EventRow {
  readonly id: number;
  readonly [column: string]: unknown;
}

/** The bytes of a sound file of some thousand events of two tenants. */
export async function createSoundFile(): Promise<Buffer> {
  const file = newFile();
  const create = (alias: string) => withAdmin(file, (admin) => admin.createTenant({ alias, plan: 'scale' }));
  const [shop, other] = [await create('shop'), await create('other')];
  const stores = openStores(file);
  // Some events take pages of their own.
  const property = (i: number) => ({ number: i, text: `${i} `.repeat(i % 10 === 0 ? 2000 : 30) });
  for (let first = 0; first < 4000; first += 500) {
    await stores.events.append(shop.id, arriving(eventsFrom(first, 400, property)));
    await stores.events.append(other.id, eventsFrom(first, 100, property));
  }
  await stores.close();
  const whole = newFile();
  openRaw(file).prepare('VACUUM INTO ?').run(whole);
  return readFileSync(whole);
}

/** Writes a file with `count` flipped bytes at random places from byte `from` on. */
export function flipBytes(sound: Buffer, { seed, count, from, pages }: Flips): string {
  const random = createRandom(seed);
  const bytes = Buffer.from(sound);
  const placeOf = () =>
    pages === undefined
      ? random.between(from, bytes.length - 1)
      : (random.pick(pages) - 1) * PAGE_BYTES + random.below(PAGE_BYTES);
  for (let i = 0; i < count; i++) bytes[placeOf()]! ^= random.between(1, 255);
  const file = newFile();
  writeFileSync(file, bytes);
  return file;
}

/** Events that arrive a minute after the last of them. */
function arriving(events: readonly StoredEvent[]): StoredEvent[] {
  const receivedAt = events.at(-1)!.eventTs + 60_000;
  return events.map((event) => ({ ...event, receivedAt }));
}

/** When the event of a row arrived, if it can be what the row says. */
function arrivalOf({ received_at: at }: EventRow): number | null {
  return typeof at === 'number' && at >= 0 && at <= 4_102_444_799_999 ? at : null;
}

/** What a plain read of the events returns: row by row, by its id, and in passing until it fails. */
export function readPlainly(file: string, ids: readonly number[]): Map<number, EventRow> {
  const found = new Map<number, EventRow>();
  let database: Database.Database | undefined;
  try {
    database = new Database(file, { readonly: true });
    const one = database.prepare('SELECT * FROM events NOT INDEXED WHERE id = ?');
    for (const id of ids) keep(found, () => one.get(id));
    for (const order of ['ASC', 'DESC'])
      try {
        const all = database.prepare(`SELECT * FROM events NOT INDEXED ORDER BY id ${order}`);
        let count = 0;
        for (const row of all.iterate()) {
          keep(found, () => row);
          if ((count += 1) > 100_000) break;
        }
      } catch {
        // The rest cannot be read in this order.
      }
  } catch {
    // Nothing can be read.
  } finally {
    database?.close();
  }
  return found;
}

function keep(found: Map<number, EventRow>, read: () => unknown): void {
  try {
    const row = read() as EventRow | undefined;
    if (row !== undefined && !found.has(row.id)) found.set(row.id, row);
  } catch {
    // It cannot be read.
  }
}

/** Looks at a file as `check` does; the error where it cannot be read at all. */
export function look(file: string): Verification | Error {
  try {
    return verifySqlite(() => new Database(file, { readonly: true }));
  } catch (error) {
    return error as Error;
  }
}

/** Saves a file as `check --repair` does; the error where it cannot be read at all. */
export function save(file: string): { readonly to: string; readonly saved: Salvage | Error } {
  const to = newFile();
  const connections = {
    read: () => new Database(file, { readonly: true }),
    write: (path: string) => new Database(path),
  };
  try {
    return { to, saved: salvageSqlite(connections, to) };
  } catch (error) {
    return { to, saved: error as Error };
  }
}

/** What has become of one file with flipped bytes. */
interface Judged {
  /** Whether nothing at all of it can be read. */
  readonly isUnreadable: boolean;
  /** How many findings matter. */
  readonly findings: number;
  /** How many events a plain read returns, and how many of them are in the new file. */
  readonly readable: number;
  readonly saved: number;
  /** How many returned rows are no events any more. */
  readonly damaged: number;
  /** What is wrong with the check or the repair, as sentences. */
  readonly faults: readonly string[];
}

/** Flips bytes of a sound file, and compares what `check` and `--repair` do with a plain read. */
export function judgeFlips(sound: Buffer, flips: Flips): Judged {
  const scratch = openRaw(newFile());
  scratch.exec(`ATTACH '${writeFile(sound)}' AS sound`);
  const original = scratch.prepare('SELECT * FROM sound.events').all() as EventRow[];
  const file = flipBytes(sound, flips);
  const before = readFileSync(file);
  const plain = readPlainly(
    file,
    original.map(({ id }) => id),
  );
  const events = [...plain.values()].filter(prepareIsStoredEvent(scratch));
  const looked = look(file);
  const { to, saved } = save(file);
  const faults: string[] = [];
  const matter = looked instanceof Error ? 1 : looked.findings.filter(({ matters }) => matters).length;
  if (matter === 0 && events.length !== original.length)
    faults.push(`check finds nothing, and ${original.length - events.length} events are not there`);
  if (!readFileSync(file).equals(before)) faults.push('the damaged file was written');
  let kept = 0;
  if (saved instanceof Error) {
    if (events.length > 0) faults.push(`nothing was saved: ${reasonOf(saved)}`);
    if (existsSync(to)) faults.push('a failed repair has left a file');
  } else {
    const target = openRaw(to);
    // Where damage gave an event the number of another one, it has a new number.
    const one = target.prepare('SELECT * FROM events WHERE log = ? AND ts = ? AND insert_id = ?');
    for (const event of events) {
      const found = one.get(event.log, event.ts, event.insert_id) as EventRow | undefined;
      const wanted = { ...event, id: 0, received_at: arrivalOf(event) };
      if (isDeepStrictEqual({ ...found, id: 0 }, wanted)) kept += 1;
      else faults.push(`event ${event.id} is readable and not in the new file`);
    }
    const again = look(to);
    if (again instanceof Error) faults.push(`the new file: ${reasonOf(again)}`);
    else faults.push(...again.findings.map(({ message }) => `the new file: ${message}`));
    const lost = saved.losses.reduce((sum, loss) => sum + loss.events, 0);
    if (saved.events + lost < original.length)
      faults.push(`${saved.events} were saved and ${lost} lost of ${original.length}`);
  }
  return {
    isUnreadable: looked instanceof Error,
    findings: matter,
    readable: events.length,
    saved: kept,
    damaged: plain.size - events.length,
    faults,
  };
}

const reasonOf = ({ message, cause }: Error) => (cause instanceof Error ? cause.message : message);

function writeFile(bytes: Buffer): string {
  const file = newFile();
  writeFileSync(file, bytes);
  return file;
}

/** Prepares to tell whether a client can have sent what a row holds. */
export function prepareIsStoredEvent(database: Database.Database): (row: EventRow) => boolean {
  const isObject = database
    .prepare(`SELECT CASE WHEN json_valid(b, 8) THEN json_type(b) = 'object' ELSE 0 END FROM (SELECT ? AS b)`)
    .pluck();
  const isText = (value: unknown, most: number) =>
    typeof value === 'string' && value !== '' && Array.from(value).length <= most && !value.includes('\0');
  return ({ id, log, ts, insert_id: insertId, name, user_id: userId, properties }) => {
    if (log !== Math.floor(id / 2 ** 32) || typeof ts !== 'number') return false;
    if (ts < 0 || ts > 4_102_444_799_999) return false;
    if (!isText(insertId, 128) || !isText(name, 256) || !isText(userId, 256)) return false;
    return Buffer.isBuffer(properties) && isObject.get(properties) === 1;
  };
}
