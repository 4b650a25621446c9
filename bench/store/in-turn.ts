import { checkAnswers, median, type BenchFlags, type Measure } from '../harness.ts';
import { startHost, type Host, type Kind } from './host-protocol.ts';

/** What is asked of which peers. */
interface InTurn {
  readonly peers: readonly string[];
  readonly kind: Kind;
  /** The names of the questions, in the order of their numbers. */
  readonly names: readonly string[];
}

/** How the time of all processors for a question is called. */
export const processorOf = (question: string) => `${question}, processor`;

/** How many events each peer holds, and how often each question is asked. */
export function sizesOf({ small, rows }: BenchFlags) {
  return {
    rows: rows ?? (small ? 20_000 : 1_000_000),
    rounds: small ? 2 : 5,
    sliceMs: small ? 5 : 60,
  };
}

/**
 * Asks each peer each question in turn, in the reverse order every other round: on the clock, and of all
 * processors, since some peers use each that there is. Their answers must agree.
 */
export async function measureInTurn(
  { peers, kind, names }: InTurn,
  { rows, rounds, sliceMs }: ReturnType<typeof sizesOf>,
): Promise<{ readonly measures: readonly Measure[]; readonly notes: readonly string[] }> {
  const measures: Measure[] = [];
  const notes: string[] = [];
  const hosts: Host[] = [];
  for (const peer of peers) {
    const started = await startHost(peer, rows);
    if (started === undefined) notes.push(`${peer}: not installed; npm ci --prefix bench`);
    else hosts.push(started.host);
  }
  for (const [question, name] of names.entries()) {
    const samples = new Map(hosts.map(({ peer }) => [peer, { clock: [] as number[], cpu: [] as number[] }]));
    const answers = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      for (const host of round % 2 === 0 ? hosts : [...hosts].reverse()) {
        const told = await host.call({ op: 'time', kind, question, sliceMs });
        const { ns = NaN, cpuNs = NaN, answers: hash = '' } = told;
        samples.get(host.peer)?.clock.push(ns);
        samples.get(host.peer)?.cpu.push(cpuNs);
        answers.set(host.peer, hash);
      }
    }
    for (const [peer, { clock }] of samples) {
      const value = median(clock) / 1e6;
      measures.push({ question: name, peer, unit: 'ms', value, answers: answers.get(peer) ?? '' });
    }
    for (const [peer, { cpu }] of samples) {
      measures.push({ question: processorOf(name), peer, unit: 'ms', value: median(cpu) / 1e6 });
    }
  }
  for (const host of hosts) await host.end();
  checkAnswers(measures);
  return { measures, notes };
}
