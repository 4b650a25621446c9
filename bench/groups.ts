import { readFlags, report, type Target } from './harness.ts';
import { GROUP_QUESTIONS } from './store/group-questions.ts';
import { measureInTurn, sizesOf } from './store/in-turn.ts';

const flags = readFlags();
const sizes = sizesOf(flags);
const DUCKDB = 'DuckDB, typed columns';
const OWN = ['event-query, SQLite', 'event-query, memory'] as const;

const names = GROUP_QUESTIONS.map(({ name }) => name);
const asked = { peers: [...OWN, DUCKDB, 'ClickHouse, JSON type'], kind: 'groups', names } as const;
const { measures, notes } = await measureInTurn(asked, sizes);
report({
  bench: 'groups',
  settings: { events: sizes.rows, rounds: sizes.rounds },
  measures,
  targets: flags.small ? [] : OWN.flatMap(toTargets),
  notes,
});

function toTargets(own: string): Target[] {
  const value = (name: string, peer: string) =>
    measures.find((each) => each.question === name && each.peer === peer)?.value ?? NaN;
  return GROUP_QUESTIONS.flatMap(({ name, distinct }): Target[] => {
    const ratio = value(name, own) / value(name, DUCKDB);
    const what = `${name}, ${own}: the ratio to DuckDB on typed columns`;
    return Number.isFinite(ratio) ? [{ what, ratio, bound: 'at most', target: distinct ? 1 : 0.5 }] : [];
  });
}
