import { readFileSync } from 'node:fs';
import cluster from 'node:cluster';
import { Option, type Command } from 'commander';
import * as z from 'zod';
import { messageOf, misuse } from '../process/errors.ts';
import { beQuiet, warn } from '../print/output.ts';
import { variableOf } from '../stores/places.ts';
import { LOG_FORMATS, speakFor } from './log-options.ts';
import { OIDC_SECRETS } from './oidc-options.ts';
import { hintOf, nearestOf } from '../values/nearest.ts';
import { parseFile } from '../values/parse.ts';
import { readTextFile } from '../values/text-file.ts';

/** We write our own messages for wrong values: those of the library name its internal types. */
const text = (about: string) => z.string('takes a text').min(1, 'takes a text').optional().describe(about);
const flag = (about: string) => z.boolean('takes true or false').optional().describe(about);
const PORT = 'takes a port from 0 to 65535';
const port = (about: string) => z.int(PORT).min(0, PORT).max(65_535, PORT).optional().describe(about);
const SHARE = 'takes a number above 0, at most 1';
const WORKERS = 'takes a number of 1 or more, or "auto"';
const workers = z.union([z.int().min(1), z.literal('auto')], WORKERS).optional();
const RULES = 'takes an array of texts';
const address = (what: string) => text(`${what}, as the flag of that name takes it`);

/** The schema of a configuration file: the names and values of flags. */
const CONFIG = z
  .strictObject(
    {
      $schema: text('The JSON Schema of this file'),
      db: text('The SQLite file for everything without a backend of its own'),
      events: address('The backend of events'),
      control: address('The backend of tenants and keys'),
      limits: address('The backend of limits'),
      host: text('The address to listen on'),
      port: port('The port; 0 picks a free one'),
      socket: text('The Unix socket to listen on instead of a port'),
      trustProxy: text('The proxies whose word on client addresses counts'),
      sdkHosts: text('Hosts for SDKs that drop the path: HOST=PROTOCOL/ALIAS, …'),
      logLevel: text('Which messages are logged'),
      logFormat: z
        .enum(LOG_FORMATS, `takes ${LOG_FORMATS.join(' or ')}`)
        .optional()
        .describe('How stderr is written'),
      logSample: z
        .number(SHARE)
        .gt(0, SHARE)
        .max(1, SHARE)
        .optional()
        .describe('The share of successful requests that are logged'),
      logAddresses: flag('Whether the log has the addresses of clients'),
      logSlow: text('From when on a question is logged as slow, such as 500ms'),
      accessLog: flag('Whether each response is logged'),
      backup: flag('Whether a file is copied before its schema changes'),
      memoryMax: text('The memory limit of a process, such as 2GiB'),
      dashboard: flag('Whether the dashboard is served'),
      adminPort: port('The port for metrics and for the dashboard'),
      adminHost: text('The address that the admin port listens on'),
      adminNames: text('The names by which metrics are asked, besides IP addresses'),
      metricsTenants: flag('Whether some metrics are counted by tenant'),
      dashboardUrl: text('The URL at which browsers reach the dashboard'),
      oidcIssuer: text('The identity provider for sign-in'),
      oidcClientId: text('The client id of this server at the provider'),
      oidcClientSecretFile: text('The file with the client secret'),
      oidcKeyFile: text('The file with the secret that encrypts tokens'),
      oidcName: text('The name of the provider on the sign-in page'),
      oidcClaim: text('The claim whose values map to roles'),
      oidcScope: text('The scopes requested from the provider'),
      oidcRole: z
        .array(z.string(RULES).min(1, RULES), RULES)
        .optional()
        .describe('Roles by claim value: VALUE=ROLE, or VALUE=ROLE:ALIAS,ALIAS'),
      drain: text('How long /readyz is 503 before the port closes, such as 5s'),
      workers: workers.describe('The number of server processes'),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'takes an object of flags' : undefined) },
  )
  .describe('Configuration of event-query. Each key is a command-line flag; the flag overrides the file');

type Config = z.infer<typeof CONFIG>;

/** Flags whose values may be secrets: each can be read from a file that an environment variable names. */
const SECRETS = ['events', 'control', 'limits', 'from', 'to', 'to-control'];

/** Makes the JSON Schema of a configuration file, for editors. */
export function configSchema(): object {
  return z.toJSONSchema(CONFIG);
}

/** Adds `--config`; values in that file apply where neither a flag nor a variable is set. */
export function addConfigOption(program: Command): Command {
  return program
    .addOption(
      new Option('--config <file>', 'a JSON file of flags: {"events": "postgres://…", "port": 80}')
        .env('EVENT_QUERY_CONFIG')
        .argParser(parseFile),
    )
    .hook('preAction', (_program, command) => {
      beQuiet(command.optsWithGlobals<{ quiet?: boolean }>().quiet === true);
      try {
        applyConfig(command);
      } finally {
        speakFor(command);
        warnOfVariables(program);
      }
    });
}

/**
 * Applies the current values of files where neither the command line nor the environment sets them. Skips
 * flags that the command does not have. Throws an Error that says where a value is wrong.
 */
export function applyConfig(command: Command): void {
  forgetConfig(command);
  for (const flag of SECRETS) setOption(command, attributeOf(flag), fromSecretFile(flag));
  const { config: file } = command.optsWithGlobals<{ config?: string }>();
  if (file === undefined) return;
  for (const [flag, value] of Object.entries(readConfig(file))) setOption(command, flag, value, file);
}

/** How the name of each variable begins. */
const PREFIX = 'EVENT_QUERY_';

/** Warns of unknown `EVENT_QUERY_` variables: a mistyped one would silently have no effect. */
function warnOfVariables(program: Command): void {
  // The primary process has warned already: a worker has the same environment.
  if (cluster.isWorker) return;
  const known = [
    ...variablesOf(program),
    ...SECRETS.map((flag) => `${variableOf(flag)}_FILE`),
    ...OIDC_SECRETS,
  ];
  for (const name of Object.keys(process.env)) {
    if (!name.startsWith(PREFIX) || known.includes(name)) continue;
    // Without the common beginning, by which all names are alike.
    const ends = known.map((each) => each.slice(PREFIX.length));
    const nearest = nearestOf(name.slice(PREFIX.length), ends);
    const hint = nearest === undefined ? 'no command reads it' : `did you mean ${PREFIX}${nearest}?`;
    warn(`unknown variable ${name}; ${hint}`);
  }
}

/** The environment variables of the flags of a command and of its subcommands. */
function variablesOf({ options, commands }: Command): string[] {
  return [...options.flatMap(({ envVar }) => envVar ?? []), ...commands.flatMap(variablesOf)];
}

/** Reads a configuration file. Throws an Error that names wrong keys and the nearest valid ones. */
function readConfig(file: string): Config {
  let json: unknown;
  try {
    json = JSON.parse(readTextFile(file));
  } catch (error) {
    throw misuse(`cannot read ${file}: ${messageOf(error).replace(`${file}: `, '')}`);
  }
  const { error, data } = CONFIG.safeParse(json);
  if (error === undefined) return data;
  const [issue] = error.issues;
  if (issue?.code !== 'unrecognized_keys')
    throw misuse(`${file}: ${issue!.path.join('.') || 'the whole'}: ${issue!.message}`);
  const known = Object.keys(CONFIG.shape);
  const unknown = issue.keys.map((key) => `there is no key ${JSON.stringify(key)}${hintOf(key, known)}`);
  throw misuse(`${file}: ${unknown.join('; ')}`);
}

/** The camel-case name of a flag. */
const attributeOf = (flag: string) => new Option(`--${flag}`).attributeName();

/** Reads a value from the file that a variable such as `EVENT_QUERY_EVENTS_FILE` names. */
function fromSecretFile(flag: string): string | undefined {
  const variable = `${variableOf(flag)}_FILE`;
  const file = process.env[variable];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw misuse(`cannot read the file that ${variable} names: ${messageOf(error)}`);
  }
}

/** Resets the values that files have set before. */
function forgetConfig(command: Command): void {
  for (let owner: Command | null = command; owner !== null; owner = owner.parent) {
    for (const option of owner.options) {
      const name = option.attributeName();
      if (owner.getOptionValueSource(name) === 'config')
        owner.setOptionValueWithSource(name, option.defaultValue, 'default');
    }
  }
}

function setOption(command: Command, flag: string, value: unknown, file?: string): void {
  if (value === undefined) return;
  for (let owner: Command | null = command; owner !== null; owner = owner.parent) {
    const option = owner.options.find((each) => each.attributeName() === flag);
    if (option === undefined) continue;
    const source = owner.getOptionValueSource(flag);
    if (source !== undefined && source !== 'default') return;
    owner.setOptionValueWithSource(flag, parse(option, value, file ?? 'environment'), 'config');
    return;
  }
}

function parse(option: Option, value: unknown, file: string): unknown {
  if (option.argChoices !== undefined && !option.argChoices.includes(String(value)))
    throw misuse(`${file}: ${option.attributeName()} is one of ${option.argChoices.join(', ')}`);
  // Commander's own parser for choices would report a flag that the user did not give.
  if (option.parseArg === undefined || option.argChoices !== undefined) return value;
  try {
    const texts = Array.isArray(value) ? value.map(String) : [String(value)];
    return texts.reduce<unknown>((before, text) => option.parseArg!(text, before as never), undefined);
  } catch (error) {
    throw misuse(`${file}: ${option.attributeName()}: ${messageOf(error)}`);
  }
}
