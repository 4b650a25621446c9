/**
 * The hostile client of `proxy.ts`, in a process of its own: over many connections from one address it counts
 * with a wrong key, each connection as fast as it is answered, until stdin ends. Then it prints the statuses.
 */
import { Agent, request } from 'node:http';

const [port = '', address = '', connections = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const statuses: Record<string, number> = {};
let isOver = false;
process.stdin.resume().once('end', () => {
  isOver = true;
});

function ask(): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': `eqk_${'0'.repeat(64)}` };
    const options = { agent, host: '127.0.0.1', port, localAddress: address, method: 'POST', headers };
    const sent = request({ ...options, path: '/v1/api/query/count/shop' }, (answer) => {
      answer.resume().once('close', () => resolve(String(answer.statusCode)));
    });
    sent.once('error', (error) => resolve(error.message)).end('{}');
  });
}

await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (!isOver) {
      const status = await ask();
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }),
);
console.log(JSON.stringify(statuses));
process.exit(0);
