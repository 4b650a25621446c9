import { hostname } from 'node:os';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { speakThrough, type Urgency } from '../print/output.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The formats of the lines that a server writes to stderr. */
export const LOG_FORMATS = ['json', 'text'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

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
    .option('--no-access-log', 'do not log each request');
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
