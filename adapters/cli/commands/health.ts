import { Option, type Command } from 'commander';
import { write } from '../print/output.ts';
import { addListenOptions } from '../options/server-options.ts';
import { failure, messageOf, misuse } from '../process/errors.ts';
import { parseServerUrl, toLocalHost, toUrl } from '../values/urls.ts';

/** Longer than a ready server ever needs, and shorter than a container's own limit for its health check. */
const ANSWER_MS_MAX = 5_000;
/** An error of the API is shorter; what another server answers is cut. */
const REASON_CHARS_MAX = 200;

interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly url?: string;
}

/** `health`: asks a server whether it is ready, for health checks in images without curl. */
export function healthCommand(program: Command): void {
  addListenOptions(program.command('health'))
    .description('ask a server whether it is ready: exit code 0 if so, 1 if not')
    .addOption(
      new Option('--url <url>', 'the address of the server, instead of --host and --port').argParser(
        parseServerUrl,
      ),
    )
    .addHelpText(
      'after',
      `
Without --url it asks the server that serve starts with the same HOST, PORT and configuration file. It waits
at most 5 seconds for the answer.

Example:
  $ event-query health --url http://127.0.0.1:8787`,
    )
    .action(async (_options: object, self: Command) => {
      const url = urlOf(self.optsWithGlobals<HealthOptions>());
      const reason = await whyNotReady(url);
      if (reason !== undefined) throw failure(`${url} is not ready: ${reason}`);
      await write(`${url} is ready\n`);
    });
}

function urlOf({ url, host, port }: HealthOptions): string {
  if (url !== undefined) return url;
  if (port === 0) throw misuse('port 0 is any free port: name the server with --url');
  return toUrl(toLocalHost(host), port);
}

/** Why the server at `url` is not ready; undefined if it is. */
async function whyNotReady(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const answer = await fetch(`${url}/readyz`, { signal, redirect: 'manual' });
    if (answer.status === 200) {
      await answer.body?.cancel();
      return undefined;
    }
    const text = (await answer.text()).trim().slice(0, REASON_CHARS_MAX);
    return `status ${answer.status} ${text}`.trim();
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      return `it has not answered within ${ANSWER_MS_MAX / 1000} s`;
    // The message of fetch itself says only that it failed; the cause has a message or a code.
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return messageOf(cause) || String((cause as { code?: unknown }).code);
  }
}
