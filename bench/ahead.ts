import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleEvents } from './events.ts';
import { checkAnswers, hashOf, median, now, readFlags, report, type Measure } from './harness.ts';
import { fill, openAsServe, toPeer } from './store/own-peers.ts';
import { QUESTIONS } from './store/questions.ts';
import { openSqliteJsonbPeer } from './store/sqlite-peers.ts';

const flags = readFlags();
const ROWS = flags.rows ?? (flags.small ? 10_000 : 1_000_000);
/** A minute after ingestion. */
const IDLE_MS = flags.small ? 1500 : 60_000;
const AHEAD = 'event-query, SQLite, columns made ahead';
const ASKED = 'event-query, SQLite, none made ahead';
const BY_HAND = 'SQLite by hand, JSONB';
/** One of four hundred events has it: no usual path. */
const RARE = 'a rare nested value';

const folder = mkdtempSync(join(tmpdir(), 'event-query-bench-'));
const folderOf = (name: string) => {
  mkdirSync(join(folder, name));
  return join(folder, name);
};
const open = async (name: string, prepareColumns: boolean) => {
  const stores = openAsServe(folderOf(name), { prepareColumns });
  await fill(stores, sampleEvents(ROWS));
  if (prepareColumns) await sleep(IDLE_MS);
  return toPeer(stores);
};
const peers = {
  [BY_HAND]: (await openSqliteJsonbPeer({ folder: folderOf('by-hand'), rows: ROWS }))!,
  [ASKED]: await open('asked', false),
  [AHEAD]: await open('ahead', true),
};

const measures: Measure[] = [];
for (const question of QUESTIONS) {
  for (const [peer, asked] of Object.entries(peers)) {
    const start = now();
    const answers = hashOf(await asked.count(question));
    const value = (now() - start) / 1e6;
    measures.push({ question: `first ever count, ${question.name}`, peer, unit: 'ms', value, answers });
  }
}
for (const peer of Object.values(peers)) await peer.close();
rmSync(folder, { recursive: true });
checkAnswers(measures);

const ratios = (peer: string, isRare: boolean) => {
  const asked = QUESTIONS.filter(
    ({ name, body }) => (name === RARE) === isRare && body.filterSet !== undefined,
  );
  return asked.map(({ name }) => {
    const valueOf = (of: string) =>
      measures.find((measure) => measure.question.endsWith(`, ${name}`) && measure.peer === of)!.value;
    return valueOf(peer) / valueOf(BY_HAND);
  });
};
const target = (what: string, ratio: number, bound: number) =>
  ({ what, ratio, bound: 'at most', target: bound }) as const;
report({
  bench: 'ahead',
  settings: { events: ROWS, idleMs: IDLE_MS },
  measures,
  targets: flags.small
    ? []
    : [
        target(
          'usual paths, a minute after ingestion / by hand, the worst',
          Math.max(...ratios(AHEAD, false)),
          0.1,
        ),
        target('a rare path / by hand', median(ratios(ASKED, true)), 1),
      ],
  notes: [],
});
