import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveAttack } from './arena.ts';
import { toWords } from './flood.ts';

/** As many as a connection may have unanswered. */
const AT_ONCE = 19;

let names = 0;

/** A question of a tenant that there is not, each time of another. */
function freshQuestion(): string {
  const path = `/v1/api/query/count/x${(names++).toString(36)}`;
  return (
    `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: eqk_wrong\r\nContent-Type: application/json\r\n` +
    'Content-Length: 2\r\n\r\n{}'
  );
}

const freshQuestions = () => Array.from({ length: AT_ONCE }, freshQuestion).join('');

/** One connection after the other from an address; each sends the next questions when all are answered. */
async function keepAsking(
  port: number,
  localAddress: string,
  goesOn: () => boolean,
  note: (status: string) => void,
): Promise<void> {
  while (goesOn()) {
    await new Promise<void>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      let left = AT_ONCE;
      const write = () => {
        left = AT_ONCE;
        socket.write(freshQuestions());
      };
      socket.setTimeout(5_000, () => socket.destroy());
      socket.on('connect', write);
      socket.on('error', () => note('no connection'));
      socket.on('close', () => resolve());
      socket.on('data', (data) => {
        const answers = data.toString('latin1').split('HTTP/1.1 ').slice(1);
        for (const answer of answers) note(answer.slice(0, 3));
        left -= answers.length;
        if (!goesOn()) socket.destroy();
        else if (left <= 0) write();
      });
    });
    // Without it, one that is refused would be a flood of connections, which a firewall is for.
    await sleep(40);
  }
}

const FROM: readonly (readonly [from: string, connections: number, addresses: number, workers: number])[] = [
  ['one address', 20, 1, 1],
  ['one address', 100, 1, 1],
  ['a hundred addresses', 400, 100, 1],
  ['a thousand addresses', 1000, 1000, 1],
  ['one address, to two workers', 40, 1, 2],
  ['a hundred addresses, to two workers', 400, 100, 2],
];

/** Who names tenants that there are not, from few addresses and from many. */
export const strangers: readonly LiveAttack[] = FROM.map(([from, connections, addresses, workers], i) => ({
  name: `strangers-${i + 1}`,
  what: `${connections} connections name tenants that there are not, from ${from}`,
  ...(workers === 1 ? {} : { serveFlags: ['--workers', String(workers)] }),
  run: async ({ server }, { quick }) => {
    const seconds = quick ? 8 : 30;
    const endsAt = performance.now() + seconds * 1000;
    const statuses = new Map<string, number>();
    const note = (status: string) => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const addressOf = (n: number) =>
      `127.2.${Math.floor((n % addresses) / 250)}.${((n % addresses) % 250) + 1}`;
    const goesOn = () => performance.now() < endsAt;
    const { port } = server();
    await Promise.all(
      Array.from({ length: connections }, (_, n) => keepAsking(port, addressOf(n), goesOn, note)),
    );
    const answered = [...statuses.values()].reduce((sum, times) => sum + times, 0);
    return {
      size: `${AT_ONCE} at once on each, ${seconds} s, ${Math.round(answered / seconds)} a second`,
      answers: toWords({ statuses }),
      wrong: [],
    };
  },
}));
