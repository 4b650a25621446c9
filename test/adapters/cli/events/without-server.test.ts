import { existsSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import { createProgram } from '../../../../adapters/cli/program.ts';
import { createPlace } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

interface Call {
  readonly name: string;
  /** The words of a complete command line. */
  readonly args: readonly string[];
  readonly knowsServers: boolean;
}

/** A call of every command that does something, with an argument for whatever it needs. */
function callsOf(command: Command, path: readonly string[] = []): readonly Call[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((below) => callsOf(below, [...path, below.name()]));
  const needed = command.registeredArguments
    .filter(({ required }) => required)
    .map(({ argChoices }) => argChoices?.[0] ?? 'x');
  const flags = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long, required, argChoices }) => [long!, ...(required ? [argChoices?.[0] ?? 'x'] : [])]);
  const knowsServers = command.options.some(({ long, hidden }) => long === '--url' && !hidden);
  return [{ name: path.join(' '), args: [...path, ...needed, ...flags], knowsServers }];
}

const CALLS = callsOf(createProgram());
const WITHOUT = CALLS.filter(({ knowsServers }) => !knowsServers);
/** They are servers themselves, or open nothing. */
const UNCONCERNED = ['serve', 'demo', 'config schema', 'completion'];
const CONCERNED = WITHOUT.filter(({ name }) => !UNCONCERNED.includes(name));
const URL = 'http://127.0.0.1:1';

describe('a command that knows no server', () => {
  it('is any that changes data or manages tenants', () => {
    const names = CONCERNED.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['erase', 'tenant set', 'key revoke', 'compact', 'backup']));
    expect(UNCONCERNED.filter((name) => !WITHOUT.some((call) => call.name === name))).toEqual([]);
  });

  it.each(WITHOUT)('$name refuses --url', async ({ name, args }) => {
    const { code, stdout, stderr } = await place.run([...args, '--url', URL]);
    expect([code, stdout]).toEqual([2, '']);
    // A server writes its errors as its log.
    expect(stderr).toMatch(/^[^\n]*\n$/);
    const refusal = `event-query: ${name} works on this machine's file or databases, not on a server`;
    const said = UNCONCERNED.includes(name) ? "unknown option '--url'" : `${refusal}: leave --url out\n`;
    expect(stderr).toContain(said);
  });

  it.each(CONCERNED)('$name refuses the variable without a file', async ({ name, args }) => {
    const env = { EVENT_QUERY_URL: URL, EVENT_QUERY_DB: undefined };
    const { code, stdout, stderr } = await place.run(args, { env, process: false });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `event-query: ${name} works on this machine's file or databases, not on a server: name the file ` +
        'with --db or EVENT_QUERY_DB, or unset EVENT_QUERY_URL\n',
    );
  });

  it('works on a file that is named, although the variable is set', async () => {
    const env = { EVENT_QUERY_URL: URL };
    expect(await place.ok(['tenant', 'create', 'shop'], { env, process: false })).toContain('shop');
    const flag = { env: { ...env, EVENT_QUERY_DB: undefined }, process: false };
    expect(await place.ok(['tenant', 'list', '--db', place.db], flag)).toContain('shop');
    const copy = ['copy', 'shop', '--from', `sqlite:${place.db}`, '--to', `sqlite:${place.db}-copy`];
    expect(await place.ok(copy, flag)).toContain('copied');
    expect(existsSync(`${place.db}-copy`)).toBe(true);
  });
});
