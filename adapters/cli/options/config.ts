import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { messageOf, misuse } from '../errors.ts';
import { variableOf } from '../stores/places.ts';
import { parseFile } from './values.ts';

const address = (what: string) =>
  z.string().min(1).optional().describe(`${what}, as the flag of that name takes it`);

/** What a configuration file may hold: names and values of flags. */
const CONFIG = z
  .strictObject({
    $schema: z.string().optional(),
    db: z.string().min(1).optional().describe('The SQLite file of all that has no other place'),
    events: address('Where events are kept'),
    control: address('Where tenants and keys are kept'),
    limits: address('Where limits are kept'),
    host: z.string().min(1).optional().describe('The address to listen on'),
    port: z.int().min(0).max(65_535).optional().describe('The port; 0 picks a free one'),
    logLevel: z.string().min(1).optional().describe('How much goes to the log'),
    accessLog: z.boolean().optional().describe('Whether each answer is a line of the log'),
    memoryMax: z.string().min(1).optional().describe('How much memory a process may take, as in 2GiB'),
    dashboard: z.boolean().optional().describe('Whether the dashboard is served'),
    adminPort: z.int().min(0).max(65_535).optional().describe('The port of its own of the dashboard'),
    dashboardUrl: z.string().min(1).optional().describe('The address by which browsers reach the dashboard'),
    oidcIssuer: z.string().min(1).optional().describe('The identity provider by which people sign in'),
    oidcClientId: z.string().min(1).optional().describe('What the provider knows this server by'),
    oidcClientSecretFile: z.string().min(1).optional().describe('The file of the secret shared with it'),
    oidcKeyFile: z.string().min(1).optional().describe('The file of the secret that seals tokens'),
    oidcClaim: z.string().min(1).optional().describe('The claim whose values give roles'),
    oidcScope: z.string().min(1).optional().describe('What is asked of the provider'),
    oidcRole: z
      .array(z.string().min(1))
      .optional()
      .describe('What values give: VALUE=ROLE, or VALUE=ROLE:ALIAS,ALIAS'),
    drain: z.string().min(1).optional().describe('How long /readyz is 503 before the port closes, as in 5s'),
    workers: z
      .union([z.int().min(1), z.literal('auto')])
      .optional()
      .describe('How many processes serve'),
  })
  .describe('Configuration of event-query: each key is a flag of the command line, which wins over it');

type Config = z.infer<typeof CONFIG>;

/** Flags whose values may be secrets: each may stand in a file that an environment variable names. */
const SECRETS = ['events', 'control', 'limits', 'from', 'to', 'to-control'];

/** The JSON Schema of a configuration file, for editors. */
export function configSchema(): object {
  return z.toJSONSchema(CONFIG);
}

/** Adds the flag that names a configuration file, and takes what it says where no flag or variable does. */
export function addConfigOption(program: Command): Command {
  return program
    .addOption(
      new Option('--config <file>', 'a JSON file of flags: {"events": "postgres://…", "port": 80}')
        .env('EVENT_QUERY_CONFIG')
        .argParser(parseFile),
    )
    .hook('preAction', (_program, command) => applyConfig(command));
}

/**
 * Takes what files say now where neither the command line nor the environment says it. Throws an Error that
 * says where a value is wrong; a flag that the command does not have is left out.
 */
export function applyConfig(command: Command): void {
  forgetConfig(command);
  for (const flag of SECRETS) setOption(command, attributeOf(flag), fromSecretFile(flag));
  const { config: file } = command.optsWithGlobals<{ config?: string }>();
  if (file === undefined) return;
  for (const [flag, value] of Object.entries(readConfig(file))) setOption(command, flag, value, file);
}

/** Reads a configuration file. Throws an Error that names the wrong key, and the nearest right one. */
function readConfig(file: string): Config {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw misuse(`cannot read ${file}: ${messageOf(error)}`);
  }
  const { error, data } = CONFIG.safeParse(json);
  if (error === undefined) return data;
  const [issue] = error.issues;
  if (issue?.code !== 'unrecognized_keys')
    throw misuse(`${file}: ${issue!.path.join('.') || 'the whole'}: ${issue!.message}`);
  const [key = ''] = issue.keys;
  const right = closest(key, Object.keys(CONFIG.shape));
  throw misuse(`${file}: there is no key ${JSON.stringify(key)}; did you mean ${JSON.stringify(right)}?`);
}

/** The name of a flag in a program. */
const attributeOf = (flag: string) => new Option(`--${flag}`).attributeName();

/** What stands in the file that `EVENT_QUERY_EVENTS_FILE`, for instance, names. */
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

/** Lets go of what files said before. */
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
  // Choices are checked by a parser of their own, whose words would name a flag that nobody gave.
  if (option.parseArg === undefined || option.argChoices !== undefined) return value;
  try {
    const texts = Array.isArray(value) ? value.map(String) : [String(value)];
    return texts.reduce<unknown>((before, text) => option.parseArg!(text, before as never), undefined);
  } catch (error) {
    throw misuse(`${file}: ${option.attributeName()}: ${messageOf(error)}`);
  }
}
