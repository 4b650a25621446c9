/** One of the parts of `npm run proof`. */
export interface Proof {
  readonly name: string;
  /** The question that it answers. */
  readonly asks: string;
  /** What is run, from the root of the project. */
  readonly command: string;
}

const SEEDS = [1, 2, 3].map(() => Math.floor(Math.random() * 2 ** 31));
const underSeeds = (command: string) =>
  SEEDS.map((seed) => `echo "seed ${seed}" && EVENT_QUERY_SEED=${seed} ${command}`).join(' && ');

/** Folders whose faults Stryker makes; one that is left out would say nothing. */
const MUTATED = ['event', 'filter', 'query', 'table', 'explain', 'access'];

/** In the order in which they run: what ends soon comes first. */
export const PROOFS: readonly Proof[] = [
  {
    name: 'mutants',
    asks: 'Does a test notice each of the faults that only a person would make?',
    command: 'npm run mutants',
  },
  {
    name: 'seeds',
    asks: 'Do the tests, the rules of stores and the parsers hold under three fresh seeds?',
    command: ['npm test', 'npm run conformance', 'npm run fuzz'].map(underSeeds).join(' && '),
  },
  {
    name: 'differential',
    asks: 'Do all stores and the plain predicate give the same 300,000 answers?',
    command: SEEDS.map(
      (seed) => `EVENT_QUERY_SERVICES=required npm run differential -- --cases 100000 --seed ${seed}`,
    ).join(' && '),
  },
  {
    name: 'faults',
    asks: 'What is left after 100 SIGKILLs, 500 losses of power, full and damaged disks?',
    command: 'npm run faults',
  },
  {
    name: 'attack',
    asks: 'Does the promise hold against every attack at full size, and against all for ten minutes?',
    command: 'npm run attack',
  },
  {
    name: 'soak',
    asks: 'Does anything grow in half an hour of mixed traffic?',
    command: 'npm run soak -- --minutes 30 --rate 50',
  },
  {
    name: 'mutation',
    asks: 'Which share of the faults that Stryker makes do the tests of a folder notice?',
    command: `npm run mutation -- ${MUTATED.map((folder) => `src/core/${folder}`).join(' ')}`,
  },
];
