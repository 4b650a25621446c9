import { effect, signal } from '@preact/signals';
import type { CountBody } from '../../../../src/index.ts';
import type { SessionAnswer, SignOutAnswer } from '../../../../src/transport-kit.ts';

/** Whether there is a session: unknown at first, and `ended` where one was and is no more. */
export const session = signal<SessionAnswer | 'unknown' | 'none' | 'ended'>('unknown');

/** Who it was last, which a session that has ended does not change. */
export const who = signal<SessionAnswer | undefined>(undefined);

/** Notes who is signed in now. */
export function enter(found: SessionAnswer): void {
  session.value = found;
  who.value = found;
}

/** What tabs of one browser tell each other of a sign-out: that one asks for it, and what came of that. */
type SignOut = 'asked' | 'done' | 'failed';
const tabs = new BroadcastChannel('event-query');

/** Whether another tab is signing out: this one may not sign in again by itself meanwhile. */
export let isLeaving = false;

tabs.onmessage = ({ data }: MessageEvent<SignOut>) => {
  isLeaving = data === 'asked';
  if (data === 'done') session.value = 'none';
};

/** Signs out: of this server, in all tabs, and where an identity provider has a page for that, of it too. */
export async function signOut(): Promise<void> {
  const tell = (what: SignOut) => tabs.postMessage(what);
  tell('asked');
  let url: string | undefined;
  try {
    ({ url } = await ask<SignOutAnswer>('sign-out', {}));
  } catch (error) {
    // Of a session that has ended already nothing is left to sign out of.
    if (!(error instanceof AnswerError) || error.status !== 401) {
      tell('failed');
      throw error;
    }
  }
  tell('done');
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
export async function send(path: string, body?: unknown, options: AskOptions = {}): Promise<Response> {
  const question = toQuestion(path, body);
  const asked = early.get(question);
  if (asked === undefined) return sendNow(path, body, options);
  early.delete(question);
  // Who lets go of it lets go of what was asked for them.
  options.signal?.addEventListener('abort', () => asked.controller.abort());
  return asked.answer;
}

async function sendNow(path: string, body: unknown, { signal: aborted, headers = {} }: AskOptions) {
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
  if (answer.status === 404) absences.value += 1;
  throw new AnswerError(answer.status, toMessage(text) ?? `The server answered ${answer.status}.`);
}

/** How often something was asked for that is not there: the tenant of a page may be gone. */
export const absences = signal(0);

/** What was asked before anybody wanted it, each for the first who does. */
const early = new Map<string, { readonly answer: Promise<Response>; readonly controller: AbortController }>();

/** How long an answer that nobody has wanted yet is as good as one that comes now. */
const EARLY_MS = 2000;

const toQuestion = (path: string, body: unknown) => JSON.stringify([path, body]);

/** Asks at once what a page will ask when it is drawn, so that one need not wait for the other. */
export function askEarly(path: string, body?: unknown): void {
  const question = toQuestion(path, body);
  const controller = new AbortController();
  const answer = sendNow(path, body, { signal: controller.signal });
  early.set(question, { answer, controller });
  const drop = () => early.get(question)?.controller === controller && early.delete(question);
  // Who wants it later asks once more, and is told what is true then.
  answer.then(() => setTimeout(drop, EARLY_MS), drop);
}

/** Lets go of what was asked early and nobody wanted. */
export function forgetEarly(): void {
  for (const { controller } of early.values()) controller.abort();
  early.clear();
}

// What was asked with a session that has ended is nothing for the next.
effect(() => {
  if (session.value === 'none' || session.value === 'ended') forgetEarly();
});

/** The same as `send`, for an answer that is JSON. */
export async function ask<T>(path: string, body?: unknown, options?: AskOptions): Promise<T> {
  return (await send(path, body, options)).json() as Promise<T>;
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
    enter(await ask<SessionAnswer>('session'));
  } catch (error) {
    if (!(error instanceof AnswerError) || error.status !== 401) throw error;
  }
}

/** How many events a body matches. */
export async function countOf(alias: string, body: CountBody, signal?: AbortSignal): Promise<number> {
  return (await ask<{ readonly count: number }>(`query/count/${alias}`, body, { signal })).count;
}
