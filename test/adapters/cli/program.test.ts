import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { createProgram } from '../../../adapters/cli/program.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { cleanEnv } from '../../support/clean-env.ts';
import { createPlace, NODE_ARGS } from './command.ts';

const place = createPlace();
afterAll(() => place.remove());

/** The path of every command from the root, including groups. */
function commandPaths(command = createProgram(), path: readonly string[] = []): string[][] {
  return [[...path], ...command.commands.flatMap((child) => commandPaths(child, [...path, child.name()]))];
}

describe('a runtime that is not the right one', () => {
  const runAs = (versions: object, args: readonly string[]) => {
    const value = `{...process.versions,...${JSON.stringify(versions)}}`;
    const fake = `Object.defineProperty(process,'versions',{value:${value}})`;
    const all = ['--import', `data:text/javascript,${fake}`, 'dist/cli.js', ...args];
    const { status, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env: cleanEnv() });
    return { status, stderr };
  };

  it.each(['18.20.8', '20.10.0', '20.18.3'])('Node %s is told in one sentence', (node) => {
    const stderr = `event-query: needs Node 20.19 or later; this is v${node}\n`;
    expect(runAs({ node }, ['--version'])).toEqual({ status: 1, stderr });
  });

  it.each(['bun', 'deno'])('%s serves nothing, and is told so at the start', (name) => {
    const db = join(place.folder, `${name}.db`);
    const { status, stderr } = runAs({ [name]: '9.9.9' }, ['serve', '--port', '0', '--db', db]);
    expect(status).toBe(1);
    expect(stderr).toContain(`this server needs Node, and this is ${name} 9.9.9; there, serve the handler`);
  });
});

describe('help and version', () => {
  it('every command explains itself, with an example', async () => {
    const program = createProgram();
    for (const path of commandPaths(program)) {
      let printed = '';
      const command = path.reduce(
        (parent, name) => parent.commands.find((each) => each.name() === name)!,
        program,
      );
      command.configureOutput({ writeOut: (text) => (printed += text) });
      expect(() => command.outputHelp()).not.toThrow();
      expect(printed, path.join(' ')).toMatch(/^Usage: event-query/);
      expect(printed, path.join(' ')).toMatch(/\nExamples?:\n {2}\$ event-query /);
      expect(printed, path.join(' ')).toMatch(/\n\nDocumentation: README\.md [^\n]*\n$/);
      expect(command.registeredArguments.filter(({ description }) => !description)).toEqual([]);
      expect(printed, path.join(' ')).not.toContain('undefined');
      expect(printed.split('\n').filter((line) => line.length > 110)).toEqual([]);
    }
    const { code, stdout, stderr } = await place.run(['tenant', 'set', '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('--db <file>');
    expect(stdout).toContain('EVENT_QUERY_DB');
    expect((await place.run(['key', 'rotate', '--help'])).stdout).toMatch(/7d \(default:\s+1d\)/);
  });

  it('every command has its place in the tables of the page', () => {
    const page = readFileSync(new URL('../../../adapters/cli/README.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| '));
    const named = ([command = '', ...below]: readonly string[]) =>
      rows.some((row) => [`\`${command}`, ...below].every((name) => new RegExp(`${name}\\b`).test(row)));
    expect(commandPaths().filter((path) => !named(path))).toEqual([]);
  });

  it('--version prints the version of the package and the name of the build, where it is one', async () => {
    expect(await place.ok(['-v'])).toBe(await place.ok(['--version']));
    expect(await place.ok(['--version'])).toBe(`${packageJson.version}+source\n`);
  });
});

describe('misuse exits with 2 and one line', () => {
  const UUID = '11111111-1111-4111-8111-111111111111';
  it.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['tenant', 'frobnicate'], /unknown command 'frobnicate'/],
    [['tenant', 'list', '--jsn'], /unknown option '--jsn' \(Did you mean --json\?\)/],
    [['tenant', 'create'], /missing required argument 'alias'/],
    [['tenant', 'list', 'extra'], /too many arguments/],
    [['tenant', 'create', 'Not An Alias'], /alias: takes 1 to 63 of a-z/],
    [['tenant', 'create', UUID], /not shaped like a UUID/],
    [['tenant', 'create', 'a', '--plan', 'gold'], /Allowed choices are free, builder, .*, custom/],
    [['tenant', 'create', 'a', '--plan', 'custom', '--per-minute', '5'], /must be given together/],
    [['tenant', 'create', 'a', '--plan', 'growth', '--per-minute', '5', '--per-day', '5'], /--plan custom/],
    [['tenant', 'create', 'a', '--plan', 'custom', '--per-minute', '0', '--per-day', '5'], /from 1 to/],
    [['key', 'create', 'a', '--name', 'n'], /--permission <permission\.\.\.>' not specified/],
    [['key', 'create', 'a', '--name', 'n', '--permission', 'admin'], /Allowed choices are query, ingest/],
    [
      ['key', 'create', 'a', '--permission', 'query', '--name', 'n', '--expires', '2020-01-01'],
      /in the past/,
    ],
    [['key', 'create', 'a', '--permission', 'query', '--name', 'n', '--expires', 'soon'], /YYYY-MM-DD/],
    [['key', 'rotate', 'a', 'b', '--overlap', '24'], /500ms, 30m or 7d/],
    [['serve', '--port', '65536'], /port from 0 to 65535/],
    [['serve', '--host', 'a/b'], /host name or an IP address/],
    [['serve', '--events', 'mysql://a/b'], /^\{"level":60,.*--events takes sqlite:FILE/],
    [['serve', '--log-level', 'loud'], /It takes one of trace, debug,/],
    [['serve', '--memory-max', '100'], /It takes 256MiB or more: a number with MiB or GiB, such as 512MiB/],
    [['query', 'a', '--after', '2024-02-30'], /real date, YYYY-MM-DD/],
    [['query', 'a', '--size', '1001'], /--size: takes a whole number from 1 to 1000, got the number 1001/],
    [['query', 'a', '--size', 'ten'], /whole number/],
    [['query', 'a', '--offset', '-1'], /offset/],
    [['query', 'a', '--cursor', 'zzz'], /--cursor: takes the X-Next-Cursor/],
    [
      ['query', 'a', '--filter', 'properties.plan LIKE "x"'],
      /--filter "properties.plan LIKE .*unknown operator/,
    ],
    [
      ['query', 'a', '--filter', 'properties.plan EQUALS pro'],
      /"properties.plan EQUALS pro": at character 24, "pro": put text in double quotes: "pro"/,
    ],
    [
      ['query', 'a', '--filter', 'plan EQUALS 1'],
      /--filter "plan EQUALS 1": at character 1, .*: unknown property path/,
    ],
    [['count', 'a', '--filter', 'properties.plan EQUALS'], /EQUALS takes a string, a number or a boolean/],
    [
      ['count', 'a', '--filter', 'properties.a IN 5'],
      /--filter "properties.a IN 5": value: IN takes an array/,
    ],
    [['count', 'a', '--filter', 'properties.a'], /takes a path, an operator and an operand/],
    [['query', 'a', '--body', '-', '--event', 'x'], /cannot be used with option '--event <name>'/],
    [['query', 'a', '--cursor', 'x', '--offset', '1'], /cannot be used with option '--offset <n>'/],
    [['help', 'cont'], /unknown command "cont"; did you mean "count"\?/],
    [['tenant', 'set', 'a', '--retention-days', '-3'], /from 1 to 36500, or none to keep all/],
    [['tenant', 'set', 'a', '--retention-days', '0'], /from 1 to 36500, or none to keep all/],
    [['tenant', 'list', '--db', ''], /takes the name of a file/],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await place.run(args);
    expect(stderr).toMatch(message);
    // A server writes all of its stderr in the format of its log.
    expect(stderr).toMatch(/^(event-query: |\{"level":60,.*"msg":")[^\n]+\n$/);
    expect([code, stdout]).toEqual([2, '']);
  });

  it('as a process', async () => {
    const { code, stdout, stderr } = await place.run(['query', 'shop', '--size', '0'], { process: true });
    const line = 'event-query: --size: takes a whole number from 1 to 1000, got the number 0\n';
    expect([code, stdout, stderr]).toEqual([2, '', line]);
  });

  it('a missing command prints the help on stderr', async () => {
    const { code, stdout, stderr } = await place.run([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: event-query/);
  });

  it('a bad value of the environment is misuse too', async () => {
    const { code, stderr } = await place.run(['serve'], { env: { PORT: 'http' } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/'PORT' is invalid\. It takes a port/)]);
  });
});

it('a reader that stops early is not an error', async () => {
  await place.ok(['tenant', 'create', 'read']);
  const child = place.start(['tenant', 'list', '--db', place.db]);
  child.stdout!.destroy();
  const [stderr, code] = await Promise.all([
    text(child.stderr!),
    new Promise((resolve) => child.once('exit', resolve)),
  ]);
  expect([code, stderr]).toEqual([0, '']);
});

describe('the file', () => {
  it('is ./data/event-query.db by default, and --db overrides the environment', async () => {
    const options = { cwd: place.folder, env: cleanEnv(), encoding: 'utf8' as const };
    const { status } = spawnSync(process.execPath, [...NODE_ARGS, 'tenant', 'create', 'here'], options);
    expect(status).toBe(0);
    expect(existsSync(join(place.folder, 'data', 'event-query.db'))).toBe(true);
    const named = join(place.folder, 'deep', 'er', 'named.db');
    await place.ok(['tenant', 'create', 'there', '--db', named]);
    expect(await place.ok(['tenant', 'list', '--db', named])).toMatch(/^there\t/);
    expect([named, dirname(named)].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
  });

  it('is not created by a command that reads it', async () => {
    const missing = join(place.folder, 'missing.db');
    for (const args of [
      ['count', 'shop'],
      ['tenant', 'list'],
      ['key', 'list', 'shop'],
    ]) {
      const { code, stderr } = await place.run([...args, '--db', missing]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^event-query: there is no file/)]);
    }
    expect(existsSync(missing)).toBe(false);
  });

  it('of another kind is refused in one line', async () => {
    const other = join(place.folder, 'other.db');
    writeFileSync(other, 'this is no database, '.repeat(100));
    mkdirSync(join(place.folder, 'folder.db'));
    for (const db of [other, join(place.folder, 'folder.db')]) {
      const { code, stderr } = await place.run(['tenant', 'list', '--db', db]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^event-query: (cannot open )?[^\n]+\.db[^\n]+\n$/),
      ]);
    }
  });
});
