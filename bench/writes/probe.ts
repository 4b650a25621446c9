import { Agent, get } from 'node:http';

/** Asks a server how it is, again and again, from a process that has nothing else to do. */
const PAUSE_MS = 5;
const [origin = '', seconds = '0'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    get(`${origin}/healthz`, { agent }, (response) => {
      response.resume();
      response.once('end', resolve);
    }).once('error', reject);
  });
}

const times: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
await ask();
while (performance.now() < end) {
  const start = performance.now();
  await ask();
  times.push(performance.now() - start);
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
agent.destroy();
process.send!(times, () => process.disconnect());
