import { readFlags, report, type Target } from './harness.ts';
import { measureInTurn, processorOf, sizesOf } from './store/in-turn.ts';
import { TABLE_QUESTIONS } from './store/table-questions.ts';

/** Sequences, figures of numbers and two dimensions, beside engines that are made for such questions. */
const flags = readFlags();
const sizes = sizesOf(flags);
const PEERS = { duck: 'DuckDB, typed columns', click: 'ClickHouse, JSON type' } as const;
const OWN = ['event-query, SQLite', 'event-query, memory'] as const;

const names = TABLE_QUESTIONS.map(({ name }) => name);
const asked = { peers: [...OWN, ...Object.values(PEERS)], kind: 'tables', names } as const;
const { measures, notes } = await measureInTurn(asked, sizes);
report({
  bench: 'tables',
  settings: { events: sizes.rows, rounds: sizes.rounds },
  measures,
  targets: flags.small ? [] : OWN.flatMap(toTargets),
  notes,
});

/** Of the time of all processors: the peers use every core, and a question of ours one. */
function toTargets(own: string): Target[] {
  const value = (name: string, peer: string) =>
    measures.find((each) => each.question === processorOf(name) && each.peer === peer)?.value ?? NaN;
  return TABLE_QUESTIONS.flatMap(({ name, most }) =>
    (['duck', 'click'] as const).flatMap((kind): Target[] => {
      const target = most[kind];
      const ratio = value(name, own) / value(name, PEERS[kind]);
      const what = `${name}, ${own}: the ratio of processor time to ${PEERS[kind]}`;
      return target !== undefined && Number.isFinite(ratio)
        ? [{ what, ratio, bound: 'at most', target }]
        : [];
    }),
  );
}
