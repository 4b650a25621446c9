import { effect, signal } from '@preact/signals';
import type { CountBody } from '../../../../src/index.ts';
import type { AdminAnswer, SessionAnswer } from '../../../../src/admin-api.ts';
import { BASE } from './base.ts';
import { AnswerError } from './answer-error.ts';
import { reaching } from './reach.ts';

/** The session: `unknown` at first, `none` without one, and `ended` after one has ended. */
export const session = signal<SessionAnswer | 'unknown' | 'none' | 'ended'>('unknown');

/** The user of the last session. It stays set when the session ends. */
export const who = signal<SessionAnswer | undefined>(undefined);

/** Sets the session that the server has answered. */
export function enter(found: SessionAnswer): void {
  session.value = found;
  who.value = found;
}

/** Tells the other tabs that a session has begun, which ended theirs. */
export function tellBegun({ id }: Pick<SessionAnswer, 'id'>): void {
  tell({ began: id });
}

/** The messages between tabs of one browser: of a sign-out, and the id of a session that ended or began. */
type TabMessage = 'asked' | 'failed' | { readonly ended: string | undefined } | { readonly began: string };
const tabs = new BroadcastChannel('event-query');
const tell = (what: TabMessage) => tabs.postMessage(what);

/** Whether another tab is signing out. Meanwhile, this tab may not sign in again by itself. */
export let isLeaving = false;

tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
  isLeaving = data === 'asked';
  if (typeof data !== 'object') return;
  const shown = who.value?.id;
  if ('ended' in data) {
    // A tab may sign out after somebody else has come in, whose tabs stay.
    if (data.ended === shown) session.value = 'none';
  } else if (shown !== undefined && data.began !== shown) leaveSession();
};

/**
 * Leaves the session that another one has replaced: by loading the page again, or, where that would lose what
 * a dialog holds, by saying so.
 */
function leaveSession(): void {
  session.value = 'ended';
  if (document.querySelector('dialog[open]') === null) location.reload();
}

/** Signs out of this server in all tabs, and of the identity provider if it has a page for that. */
export async function signOut(): Promise<void> {
  tell('asked');
  let url: string | undefined;
  try {
    ({ url } = await ask<AdminAnswer<'signOut'>>('sign-out', {}));
  } catch (error) {
    // If the session has already ended, there is nothing to sign out of.
    if (!(error instanceof AnswerError) || error.status !== 401) {
      tell('failed');
      throw error;
    }
  }
  tell({ ended: who.value?.id });
  session.value = 'none';
  if (url !== undefined) location.assign(url);
}

/** The header that names the session that the pages show. */
const SESSION_HEADER = 'X-Event-Query-Session';

interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to the Admin API: a GET without a body, otherwise a POST. Throws AnswerError. */
export async function send(path: string, body?: unknown, options: RequestOptions = {}): Promise<Response> {
  const question = toQuestion(path, body);
  const asked = early.get(question);
  if (asked === undefined) return sendNow(path, body, options);
  early.delete(question);
  // A caller that aborts also aborts the early request that it has taken over.
  options.signal?.addEventListener('abort', () => asked.controller.abort());
  return asked.answer;
}

async function sendNow(path: string, body: unknown, { signal: aborted, headers = {} }: RequestOptions) {
  const answer = await reaching(
    fetch(`${BASE}/v1/admin/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...{ 'X-Event-Query': 'dashboard', 'Content-Type': 'application/json' },
        // A cookie of somebody else, who has signed in in another tab, is refused.
        ...(who.value === undefined || path.startsWith('sign-in') ? {} : { [SESSION_HEADER]: who.value.id }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(aborted === undefined ? {} : { signal: aborted }),
      cache: 'no-store',
    }),
  );
  if (answer.ok) return answer;
  const text = await answer.text();
  if (answer.status === 401 && path !== 'sign-in') {
    session.value = typeof session.value === 'object' || session.value === 'ended' ? 'ended' : 'none';
  }
  if (answer.status === 404) absences.value += 1;
  throw new AnswerError(answer.status, toMessage(text) ?? `The server answered ${answer.status}.`);
}

/** Counts the answers with 404, since one can mean that the tenant of a page was deleted. */
export const absences = signal(0);

/** The early requests that no component has taken over yet. The first that asks the same takes it over. */
const early = new Map<string, { readonly answer: Promise<Response>; readonly controller: AbortController }>();

/** How long, in milliseconds, an early answer counts as fresh. */
const EARLY_MS = 2000;

/** A question as a text, by which early requests are found. */
export const toQuestion = (path: string, body: unknown) => JSON.stringify([path, body]);

/** Sends a request before the page that needs it renders, so that both go on at the same time. */
export function askEarly(path: string, body?: unknown): void {
  const question = toQuestion(path, body);
  const controller = new AbortController();
  const answer = sendNow(path, body, { signal: controller.signal });
  early.set(question, { answer, controller });
  const drop = () => early.get(question)?.controller === controller && early.delete(question);
  // A later caller sends a new request, and gets a fresh answer.
  answer.then(() => setTimeout(drop, EARLY_MS), drop);
}

/** Aborts early requests that no component has taken over: those for some questions, or all. */
export function forgetEarly(questions: Iterable<string> = early.keys()): void {
  for (const question of questions) {
    early.get(question)?.controller.abort();
    early.delete(question);
  }
}

// An answer from an ended session must not reach the next session.
effect(() => {
  if (session.value === 'none' || session.value === 'ended') forgetEarly();
});

/** Sends a request as `send` does, and parses the answer as JSON. */
export async function ask<T>(path: string, body?: unknown, options?: RequestOptions): Promise<T> {
  return (await send(path, body, options)).json() as Promise<T>;
}

function toMessage(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { readonly error: string }).error;
  } catch {
    return undefined;
  }
}

/** The text of an error for the user. */
export function messageOf(error: unknown): string {
  if (error instanceof AnswerError) return error.message;
  if (isNetwork(error)) return 'The server cannot be reached. Is it running?';
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error means that no answer came. */
export const isNetwork = (error: unknown): boolean => error instanceof TypeError;

/** Loads the current session. */
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
