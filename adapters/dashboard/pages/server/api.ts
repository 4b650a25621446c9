import { signal } from '@preact/signals';
import type { CountBody } from '../../../../src/index.ts';
import type { Session } from './answers.ts';

/** Whether there is a session: unknown at first, and `ended` where one was and is no more. */
export const session = signal<Session | 'unknown' | 'none' | 'ended'>('unknown');

/** Who it was last, which a session that has ended does not change. */
export const who = signal<Session | undefined>(undefined);

/** Notes who is signed in now. */
export function enter(found: Session): void {
  session.value = found;
  who.value = found;
}

/** What tabs of one browser tell each other: that one of them has signed out. */
const tabs = new BroadcastChannel('event-query');
// None of them may sign in again by itself then, as one does whose session has only ended.
tabs.onmessage = () => (session.value = 'none');

/** Signs out: of this server, in all tabs, and where an identity provider has a page for that, of it too. */
export async function signOut(): Promise<void> {
  const { url } = await ask<{ readonly url?: string }>('sign-out', {});
  tabs.postMessage('signed out');
  session.value = 'none';
  if (url !== undefined) location.assign(url);
}

/** What the server said no with. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the Admin API: a GET without a body, else a POST. Throws AnswerError. */
export async function send(path: string, body?: unknown, { signal: aborted, headers = {} }: AskOptions = {}) {
  const answer = await fetch(`/v1/admin/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'X-Event-Query': 'dashboard', 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(aborted === undefined ? {} : { signal: aborted }),
    cache: 'no-store',
  });
  if (answer.ok) return answer;
  const text = await answer.text();
  if (answer.status === 401 && path !== 'sign-in') {
    session.value = typeof session.value === 'object' || session.value === 'ended' ? 'ended' : 'none';
  }
  throw new AnswerError(answer.status, toMessage(text) ?? `The server answered ${answer.status}.`);
}

/** What was asked before anybody wanted it, each for the first who does. */
const early = new Map<string, Promise<Response>>();

/** Asks at once what a page begins with, so that one answer need not wait for another. */
export function askEarly(...paths: readonly string[]): void {
  for (const path of paths) {
    const answer = send(path);
    early.set(path, answer);
    // Who wants it asks once more, and is told.
    answer.catch(() => early.delete(path));
  }
}

/** The same, for an answer that is JSON. */
export async function ask<T>(path: string, body?: unknown, options?: AskOptions): Promise<T> {
  const asked = early.get(path);
  early.delete(path);
  return (await (asked ?? send(path, body, options))).json() as Promise<T>;
}

function toMessage(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error: string }).error;
  } catch {
    return undefined;
  }
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  if (error instanceof AnswerError) return error.message;
  if (error instanceof TypeError) return 'The server cannot be reached. Is it running?';
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error only says that nobody waits any more. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Asks who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    enter(await ask<Session>('session'));
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 401) throw error;
  }
}

/** How many events a body matches. */
export async function countOf(alias: string, body: CountBody, signal?: AbortSignal): Promise<number> {
  return (await ask<{ readonly count: number }>(`query/count/${alias}`, body, { signal })).count;
}
