import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, FLAGS } from '../../support/chromium.ts';
import { removeUsedFolder } from '../../support/file.ts';
import { createPlace } from '../cli/command.ts';

/** One page in a browser, by the protocol of its own tools; `npm run dashboard` tries each page in full. */
const place = createPlace();
afterAll(() => place.remove());

if (!existsSync(CHROMIUM)) {
  it('NO PAGE WAS OPENED IN A BROWSER: install chromium', () => undefined);
}

/** The link that `demo` prints. */
const LINK = /dashboard: (\S+)\n/;

type Answer = Readonly<Record<string, unknown>>;
type Send = (method: string, params?: object, sessionId?: string) => Promise<Answer>;

/** Starts a browser; returns what sends a command to it. */
function startBrowser(): Send {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-chromium-'));
  const profile = `--user-data-dir=${folder}`;
  const child = spawn(CHROMIUM, [...FLAGS, '--headless', '--remote-debugging-pipe', profile], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;
    await removeUsedFolder(folder);
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let read = '';
  (child.stdio[4] as Readable).setEncoding('utf8').on('data', (piece: string) => {
    const messages = (read + piece).split('\0');
    read = messages.pop()!;
    for (const message of messages) {
      const { id, result = {} } = JSON.parse(message) as { id?: number; result?: Answer };
      if (id !== undefined) waiting.get(id)?.(result);
    }
  });
  let last = 0;
  return (method, params = {}, sessionId) =>
    new Promise((resolve) => {
      waiting.set((last += 1), resolve);
      (child.stdio[3] as Writable).write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
}

describe.runIf(existsSync(CHROMIUM))('the dashboard in a browser', () => {
  it('signs in by the link of the demo, and its explorer counts the events', async () => {
    const { printed } = await place.serve(['demo'], LINK);
    const link = LINK.exec(printed)![1];
    const send = startBrowser();
    const { targetId } = await send('Target.createTarget', { url: link });
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    const evaluate = async (expression: string) => {
      const answer = await send('Runtime.evaluate', { expression }, sessionId as string);
      return String((answer.result as { value?: unknown } | undefined)?.value);
    };
    // The link asks before it signs in, so that what opens links ahead cannot use it up.
    await expect
      .poll(() => evaluate('document.querySelector("form button, button")?.innerText'))
      .toBe('Sign in');
    await evaluate('document.querySelector("form button, button").click()');
    await expect.poll(() => evaluate('document.body.innerText')).toMatch(/[1-9][\d,]* events match/);
    expect(await evaluate('document.querySelector("h1, h2").innerText')).toBe('Explorer');
    expect(await evaluate('location.pathname + location.hash')).toBe('/dashboard');
  });
});
