import { hostname } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration, parseShare } from '../values/parse.ts';
import { speakThrough, type Urgency } from '../print/output.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The formats of the lines that a server writes to stderr. */
export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What the flags of a server's log say. */
export interface LogOptions {
  readonly logLevel: string;
  readonly logFormat: LogFormat;
  /** Whether each request is logged. */
  readonly accessLog: boolean;
  /** The share of the requests answered with 2xx that are logged. */
  readonly logSample?: number;
  /** Whether the log has the addresses of clients. */
  readonly logAddresses?: boolean;
  /** How long a question takes that is logged as slow, in milliseconds. */
  readonly logSlow?: number;
}

/** Adds the flags of a server's log. */
export function addLogOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--log-level <level>', 'which messages are logged to stderr')
        .env('LOG_LEVEL')
        .default('info')
        .choices(LOG_LEVELS)
        .argParser(parseLogLevel),
    )
    .addOption(
      new Option('--log-format <format>', 'the format of all lines on stderr')
        .env('EVENT_QUERY_LOG_FORMAT')
        .default(process.stderr.isTTY ? 'text' : 'json', 'text on a terminal, else json')
        .choices(LOG_FORMATS),
    )
    .option('--no-access-log', 'do not log each request')
    .addOption(
      new Option('--log-sample <share>', 'log this share of the requests answered with 2xx, and all others')
        .env('EVENT_QUERY_LOG_SAMPLE')
        .argParser(parseShare),
    )
    .option('--log-addresses', 'log the address of the client of each request')
    .addOption(
      new Option('--log-slow <time>', 'warn of questions that take at least this long, such as 500ms')
        .env('EVENT_QUERY_LOG_SLOW')
        .argParser(parseDuration),
    );
}

/** Parses a log level in any letter case, because other loggers write INFO. */
function parseLogLevel(text: string): string {
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (level === undefined) throw new InvalidArgumentError(`It takes one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}

/** The numbers of the log's levels. */
const LEVELS: Readonly<Record<Urgency, number>> = { info: 30, warn: 40, fatal: 60 };

/**
 * Lets a command that serves say all that it says before its log opens in the format of the log. In text,
 * these lines are words, as those of every command.
 */
export function speakFor(command: Command | undefined): void {
  if (command?.getOptionValue('logFormat') !== 'json') return;
  speakThrough((urgency, msg) => {
    const line = { level: LEVELS[urgency], time: Date.now(), pid: process.pid, hostname: hostname(), msg };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  });
}
