import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSql } from '../../../support/file.ts';
import { endOf, type Place } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';
import { createFilledPlace, eventsOf } from '../filled-place.ts';

/** A filled place whose tenant also has a key. */
async function createPlaceWithKey(): Promise<Place> {
  const place = await createFilledPlace();
  await place.ok(['key', 'create', 'shop', '--name', 'k', '--permission', 'query']);
  return place;
}

describe('check', () => {
  it('finds a file sound while a server writes it, and changes nothing', async () => {
    const place = await createPlaceWithKey();
    const server = await place.serve(['serve']);
    const file = join(place.folder, 'more.ndjson');
    writeFileSync(file, eventsOf('during', 40_000));
    const importing = place.start(['import', 'shop', file]);
    const imported = endOf(importing);
    const counts: number[] = [];
    while (counts.length < 3 || importing.exitCode === null) {
      const printed = JSON.parse(await place.ok(['check', '--json'], { process: true })) as {
        events: number;
      };
      expect(printed).toMatchObject({ sound: true, tenants: 1, findings: [] });
      counts.push(printed.events);
    }
    expect(await imported).toBe(0);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(await server.stop()).toBe(0);

    const [before, there] = [readFileSync(place.db), readdirSync(dirname(place.db))];
    expect(await place.ok(['check'])).toMatch(/ is sound: 42000 events of 1 tenants, schema \d+\n$/);
    expect(readFileSync(place.db).equals(before)).toBe(true);
    expect(readdirSync(dirname(place.db))).toEqual(there);
  });

  it('leaves a log that a killed server left, and reads it', async () => {
    const place = await createPlaceWithKey();
    const server = await place.serve(['serve']);
    await place.import('shop', eventsOf('last', 100));
    await server.stop('SIGKILL');
    const files = ['', '-wal'].map((ending) => place.db + ending);
    const before = files.map((path) => readFileSync(path));
    expect(await place.ok(['check'])).toContain('is sound: 2100 events');
    expect(files.map((path) => readFileSync(path))).toEqual(before);
  });

  it('says of each finding where it is and what it means, and ends with 1', async () => {
    const place = await createPlaceWithKey();
    runSql(place.db, 'DELETE FROM events WHERE id = 4294967296 + 12');
    const gone = `tenant_id = 'gone', in_group = 'gone', document = json_set(document, '$.tenantId', 'gone')`;
    runSql(place.db, `UPDATE documents SET ${gone} WHERE kind = 'key'`);
    const { code, stdout, stderr } = await place.run(['check']);
    expect([code, stderr]).toEqual([
      1,
      `event-query: ${place.db} is not sound: 2 findings; stop the server and run ` +
        '"event-query check --repair NEW-FILE"\n',
    ]);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^damage: 1 events, at the rows 12, are missing in the log of shop: questions to/,
      ),
      'harmless: 1 keys belong to no tenant: nobody can use them; --repair makes it anew',
      '',
    ]);
    const json = await place.run(['check', '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      sound: false,
      findings: [
        { kind: 'missingEvents', matters: true, repair: 'newFile' },
        { kind: 'documentsWithoutTenant', matters: false, repair: 'here' },
      ],
    });
  });

  it('finds damaged pages, and names the table', async () => {
    const place = await createPlaceWithKey();
    const raw = readFileSync(place.db);
    const [{ rootpage } = { rootpage: 0 }] = runSql(
      place.db,
      "SELECT rootpage FROM sqlite_schema WHERE name = 'events'",
    ) as { rootpage: number }[];
    raw.fill(0xff, (rootpage - 1) * 4096, (rootpage - 1) * 4096 + 64);
    writeFileSync(place.db, raw);
    const { code, stdout } = await place.run(['check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^damage: page \d+ of events is damaged \(/m);
    expect(stdout).toMatch(
      /^damage: some of the rows 0 to 1999 in the log of shop cannot be read \([^/]*\): questions that/m,
    );
  });

  it('prints the first of many findings of a kind, and how many more there are', async () => {
    const place = await createPlaceWithKey();
    truncateSync(place.db, Math.floor(statSync(place.db).size / 8192) * 4096);
    const printed = (await place.run(['check'])).stdout.trimEnd().split('\n');
    const verbose = await place.run(['check', '--verbose']);
    const all = verbose.stdout.trimEnd().split('\n');
    const { stdout } = await place.run(['check', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: { kind: string; message: string }[] };
    const pages = findings.filter(({ kind }) => kind === 'damagedPage').length;
    expect(pages).toBeGreaterThan(10);
    expect(all).toHaveLength(findings.length);
    expect(verbose.stderr).toContain(`${findings.length} findings`);
    expect(printed.slice(0, 3)).toEqual(all.slice(0, 3));
    expect(printed[3]).toBe(`and ${pages - 3} more like these: --verbose or --json shows them`);
    // Findings of other kinds are not lost among those.
    const others = new Set(findings.map(({ kind }) => kind));
    expect(printed.length).toBeLessThanOrEqual(4 * others.size);
  });

  it('looks at no other part of the events that tenants of another backend have', async () => {
    const place = await createPlaceWithKey();
    const { code, stderr, stdout } = await place.run(['check', '--control', 'postgres://localhost/db']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('is sound')]);
    expect(stderr).toBe('tenants and keys are in postgres: check them with pg_amcheck\n');
  });

  it('refuses what is missing, empty, foreign, and no file', async () => {
    const place = await createPlaceWithKey();
    const other = join(place.folder, 'other.db');
    for (const [db, says] of [
      [`${place.db}.none`, 'there is no file'],
      [place.folder, 'is a folder'],
      [other, 'is empty'],
    ] as const) {
      if (db === other) writeFileSync(db, '');
      const { code, stderr } = await place.run(['check', '--db', db]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(says)]);
    }
    writeFileSync(other, 'no database at all');
    expect((await place.run(['check', '--db', other])).stderr).toContain('is not a SQLite database');
    const { code, stderr } = await place.run(['check', '--events', 'postgres://localhost/db']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('check them with pg_amcheck')]);
  });
});

describe('check --repair', () => {
  it('makes anew what is derived, but not while a server has the file', async () => {
    const place = await createPlaceWithKey();
    runSql(place.db, 'DELETE FROM event_names');
    const server = await place.serve(['serve']);
    const refused = await place.run(['check', '--repair'], { process: true });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`another process has ${place.db} open: stop it first; nothing was changed`),
    ]);
    expect(await server.stop()).toBe(0);
    expect(await place.ok(['check', '--repair'])).toMatch(
      /^repaired: 1 event names are not listed.*\n.* is sound: 2000 events/,
    );
    expect(await place.ok(['names', 'shop'])).toBe('before\n');
    expect(JSON.parse(await place.ok(['check', '--repair', '--json']))).toMatchObject({
      ...{ sound: true, repaired: [], findings: [] },
    });
  });

  it('saves what is readable in a new file, says what is lost, and writes nothing else', async () => {
    const place = await createPlaceWithKey();
    const whole = fromNdjson(await place.ok(['export', 'shop']));
    runSql(place.db, 'DELETE FROM events WHERE id BETWEEN 4294967296 + 12 AND 4294967296 + 14');
    const before = readFileSync(place.db);
    const left = await place.run(['check', '--repair']);
    expect([left.code, left.stderr]).toEqual([1, expect.stringContaining('check --repair NEW-FILE')]);
    const to = join(place.folder, 'new', 'repaired.db');
    const { code, stdout, stderr } = await place.run(['check', '--repair', to]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/not all of .* could be saved: 1 losses/)]);
    expect(stdout).toBe(
      'lost: 3 events, at the rows 12 to 14, of shop cannot be read\n' +
        `saved 1997 events of 1 tenants in ${to}\n`,
    );
    expect(readFileSync(place.db).equals(before)).toBe(true);
    const saved = fromNdjson(await place.ok(['export', 'shop', '--db', to]));
    // An export begins with the newest event.
    expect(saved).toEqual(whole.filter((_, i) => i < 1985 || i > 1987));
    expect(await place.ok(['check', '--db', to])).toContain('is sound: 1997 events');
    expect(await place.ok(['key', 'list', 'shop', '--db', to])).toContain('query');
    const again = await place.run(['check', '--repair', to]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining(`${to} exists already`)]);
    const other = join(place.folder, 'other.db');
    const asJson = await place.run(['check', '--repair', other, '--json']);
    expect([asJson.code, asJson.stderr]).toEqual([1, expect.stringContaining('could be saved: 1 losses')]);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      ...{ file: place.db, newFile: other, events: 1997, tenants: 1, remarks: [] },
      losses: [{ message: '3 events, at the rows 12 to 14, of shop cannot be read', events: 3 }],
    });
  });
});
