import { pino, type Logger } from 'pino';
import sonicBoom from 'sonic-boom';
import type { Resources } from '../../../src/index.ts';
import { printableJson } from '../print/printable.ts';
import { speakThrough } from '../print/output.ts';
import type { LogOptions } from '../options/log-options.ts';
import { createToText } from './log-text.ts';

/** The log of a server: all that it writes to stderr. */
export interface ServerLog {
  readonly log: Logger;
  /** Changes the log level from now on. */
  setLevel(level: string): void;
  /** Writes a line of JSON that another process of the same server has logged, or what else it wrote. */
  pass(line: string, from: { readonly pid?: number | undefined }): void;
  /** Flushes the log; gives up after a second without a reader. */
  close(): Promise<void>;
}

/** The largest backlog of unread lines; further lines are dropped and counted. */
const WAITING_BYTES_MAX = 1_048_576;
const CLOSE_MS = 1000;

/**
 * Opens the log on stderr. Writing to it never blocks: a server must go on when its log is not read. Once it
 * is read again, the log says how many lines were dropped; the meter counts them at once. What the process
 * says otherwise, Node's warnings and an uncaught error among it, becomes lines of the log until it is
 * closed.
 */
export function openLog(
  { logLevel: level, logFormat: format }: Pick<LogOptions, 'logLevel' | 'logFormat'>,
  meter?: Resources['meter'],
): ServerLog {
  // Accessing process.stderr makes a pipe non-blocking: a write returns EAGAIN instead of blocking.
  const { fd, isTTY } = process.stderr;
  let giveUpAt = Infinity;
  let closed = false;
  let dropped = 0;
  // Not pino's own copy, an older version, which retries a broken pipe for ever at the end.
  const lines = new sonicBoom.SonicBoom({
    dest: fd,
    sync: false,
    maxLength: WAITING_BYTES_MAX,
    retryEAGAIN: () => Date.now() < giveUpAt,
  });
  // A full disk must not end the server: the line is written again together with the next one.
  lines.on('error', () => undefined);
  lines.on('drop', () => {
    dropped += 1;
    meter?.count('event_query_log_lines_dropped_total', {});
  });
  lines.on('drain', sayDropped);
  const toText = createToText({ colors: isTTY && process.stderr.hasColors(), pid: process.pid });
  const toLine = format === 'text' ? toText : isTTY ? printableJson : (line: string) => line;
  const write = (line: string) => {
    if (!closed) lines.write(`${toLine(line.trimEnd())}\n`);
  };
  const log = pino({ level }, { write });
  const stopHearing = hearProcess(log);

  function sayDropped(): void {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    log.error({ lines: count }, 'log lines were dropped because stderr was not read');
  }

  /** Flushes synchronously when the process ends without `close`. */
  function flush(): void {
    giveUpAt = Date.now() + CLOSE_MS;
    try {
      lines.flushSync();
    } catch {
      // The lines are lost: the log is not being read.
    }
    lines.destroy();
  }

  process.once('exit', flush);
  return {
    log,
    setLevel: (wanted) => (log.level = wanted),
    pass: (line, { pid }) => {
      // What V8 or a library writes as the process ends is no entry of its log.
      if (line.startsWith('{"level":')) write(line);
      else log.error({ pid }, line);
    },
    close: async () => {
      process.off('exit', flush);
      giveUpAt = Date.now() + CLOSE_MS;
      // This timer keeps the process alive: while nothing can be written, nothing else would.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
      const heard = (event: string) => new Promise((resolve) => lines.once(event, resolve));
      // The line about dropped lines fits only after the backlog is written.
      if (dropped > 0) await Promise.race([heard('drain'), late]);
      stopHearing();
      closed = true;
      const written = heard('close');
      lines.end();
      await Promise.race([written, late]);
      clearTimeout(timer);
      lines.destroy();
    },
  };
}

/** Logs what the process itself says, until the returned function is called. */
function hearProcess(log: Logger): () => void {
  // Without this listener of its own, Node prints no warnings.
  const ofNode = process.listeners('warning');
  process.removeAllListeners('warning');
  const onWarning = ({ name, message }: Error) => log.warn({ warning: name }, message);
  const onError = (err: Error) => {
    log.fatal({ err }, 'an error that nothing caught ends the process');
    process.exit(1);
  };
  process.on('warning', onWarning);
  process.on('uncaughtException', onError);
  speakThrough((urgency, text) => log[urgency](text));
  return () => {
    process.off('warning', onWarning);
    for (const listener of ofNode) process.on('warning', listener);
    process.off('uncaughtException', onError);
    speakThrough();
  };
}
