import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Option, type Command } from 'commander';
import { answerText } from '../events/answer-text.ts';
import { write } from '../print/output.ts';
import { addListenOptions, addSocketOption } from '../options/server-options.ts';
import { whyNoAnswer } from '../events/remote-errors.ts';
import { failure, misuse } from '../process/errors.ts';
import { parseServerUrl, toLocalHost, toSocketUrl, toUrl } from '../values/urls.ts';

/** Longer than a ready server ever needs, and shorter than a container's own limit for its health check. */
const ANSWER_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 65_536;
/** An error of the API is shorter; what another server answers is cut. */
const REASON_CHARS_MAX = 200;

interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly socket?: string;
  readonly url?: string;
}

/** `health`: asks a server whether it is ready, for health checks in images without curl. */
export function healthCommand(program: Command): void {
  addSocketOption(addListenOptions(program.command('health')))
    .description('ask a server whether it is ready: exit code 0 if so, 1 if not')
    .addOption(
      new Option('--url <url>', 'the address of the server, instead of --host and --port').argParser(
        parseServerUrl,
      ),
    )
    .addHelpText(
      'after',
      `
Without --url it asks the server that serve starts with the same EVENT_QUERY_HOST, PORT, socket and
configuration file.
It waits at most 5 seconds for the answer.

Example:
  $ event-query health --url http://127.0.0.1:8787`,
    )
    .action(async (_options: object, self: Command) => {
      const options = self.optsWithGlobals<HealthOptions>();
      // A URL is given for this command alone, and a socket for the server.
      const { socket } = options.url === undefined ? options : {};
      const url = socket === undefined ? urlOf(options) : toSocketUrl(socket);
      const reason = await whyNotReady(() => (socket === undefined ? askUrl(url) : askSocket(socket)));
      if (reason !== undefined) throw failure(`${url} is not ready: ${reason}`);
      await write(`${url} is ready\n`);
    });
}

function urlOf({ url, host, port }: HealthOptions): string {
  if (url !== undefined) return url;
  if (port === 0) throw misuse('port 0 is any free port: name the server with --url');
  return toUrl(toLocalHost(host), port);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function askUrl(url: string): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const answer = await fetch(`${url}/readyz`, { signal, redirect: 'manual' });
  return { status: answer.status, text: await shortText(answer.body) };
}

/** Asks over a Unix socket, which `fetch` cannot. */
async function askSocket(socketPath: string): Promise<Answer> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const asked = request({ socketPath, path: '/readyz', signal, agent: false }).end();
  const [answer] = (await once(asked, 'response', { signal })) as [IncomingMessage];
  return { status: answer.statusCode!, text: await shortText(Readable.toWeb(answer)) };
}

/** The text of an answer; of a long one, only that it is long. */
async function shortText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  return (await answerText(body, ANSWER_BYTES_MAX)) ?? `and more than ${ANSWER_BYTES_MAX} bytes`;
}

/** Why the server is not ready; undefined if it is. */
async function whyNotReady(ask: () => Promise<Answer>): Promise<string | undefined> {
  try {
    const answer = await ask();
    if (answer.status === 200) return undefined;
    return `status ${answer.status} ${answer.text.trim().slice(0, REASON_CHARS_MAX)}`.trim();
  } catch (error) {
    const isLate = [error, (error as Error).cause].some(
      (each) => (each as Error | undefined)?.name === 'TimeoutError',
    );
    return isLate ? `it has not answered within ${ANSWER_MS_MAX / 1000} s` : whyNoAnswer(error);
  }
}
