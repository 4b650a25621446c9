import { request } from 'node:http';
import { ERRORS } from '../../../src/core/base/errors.ts';
import type { Answer } from '../../support/answers.ts';
import type { Conversation } from '../../support/raw-client.ts';
import { CANARY, OWN_EVENTS, type Target } from './target.ts';

/** The statuses that the README documents. */
const STATUSES: ReadonlySet<number> = new Set([
  200,
  204,
  ...Object.values(ERRORS).map(({ status }) => status),
]);

/** What only the inside of a server knows: engines, stacks, files. */
const INSIDE = [
  /\n\s+at /,
  /\.(ts|js|mjs|cjs):\d/,
  /node_modules|node:internal/,
  /\b(Type|Syntax|Range|Reference|Sqlite|Zod)Error\b/,
  /SQLITE_[A-Z]|better-sqlite3|\bno such (table|column)\b|near ".*": syntax error/,
  /ERR_[A-Z]+_|HPE_|ECONN|ENOENT/,
];

/** What is wrong with an answer to the attacker; empty when nothing is. */
export function faultsOf(answer: Answer | Error, target: Target): string[] {
  if (answer instanceof Error) return [answer.message];
  const faults: string[] = [];
  const { status, body, headers } = answer;
  const text = `${JSON.stringify(headers)}\n${body}`;
  if (!STATUSES.has(status)) faults.push(`status ${status} is not documented`);
  if (status >= 500 && status !== 503) faults.push(`status ${status}: ${body}`);
  for (const secret of [CANARY, target.victimKey, target.folder]) {
    if (text.includes(secret)) faults.push(`tells ${secret}`);
  }
  if (status >= 400) faults.push(...faultsOfError(body, headers));
  return faults;
}

function faultsOfError(body: string, headers: Readonly<Record<string, string>>): string[] {
  const faults = INSIDE.filter((pattern) => pattern.test(body)).map(
    (pattern) => `matches ${pattern}: ${body}`,
  );
  if (headers['content-type'] !== 'application/json') faults.push('an error that is not JSON');
  if (body === '') return faults;
  try {
    const { error, ...rest } = JSON.parse(body) as { error: unknown };
    if (typeof error !== 'string' || Object.keys(rest).length > 0) faults.push(`no error body: ${body}`);
    if (typeof error === 'string' && error.length > 1024)
      faults.push(`an error of ${error.length} characters`);
  } catch {
    faults.push(`a body that is not JSON: ${body.slice(0, 200)}`);
  }
  return faults;
}

/** What is wrong with a whole conversation. */
export function faultsIn({ answers }: Conversation, target: Target): string[] {
  const faults = answers.flatMap((answer) => faultsOf(answer, target));
  const closing = answers.findIndex(
    (answer) => !(answer instanceof Error) && answer.headers.connection === 'close',
  );
  if (closing !== -1 && closing < answers.length - 1) faults.push('an answer after the one that closes');
  return faults;
}

/** The statuses of a conversation in order; 0 for what is no answer. */
export function statusesOf({ answers }: Conversation): number[] {
  return answers.map((answer) => (answer instanceof Error ? 0 : answer.status));
}

/** A request as bytes. */
export function toRequest(method: string, path: string, headers: readonly string[], body = ''): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', body].join('\r\n');
}

/** The headers of a JSON request of the attacker. */
export function jsonHeaders(target: Target, body: string): string[] {
  const length = `Content-Length: ${Buffer.byteLength(body, 'latin1')}`;
  return [`X-API-Key: ${target.key}`, 'Content-Type: application/json', length];
}

/** Proves that the server still answers an ordinary request, on a connection of its own. Throws otherwise. */
export async function checkControl(target: Target): Promise<void> {
  const { status, body } = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const path = '/v1/api/query/count/mallory';
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': target.key, 'Content-Length': 2 };
    const options = { host: '127.0.0.1', port: target.port, path, method: 'POST', headers, agent: false };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end('{}');
  });
  const { count = -1 } = JSON.parse(body) as { count?: number };
  if (status !== 200 || count < OWN_EVENTS) throw new Error(`the control request failed: ${status} ${body}`);
}
