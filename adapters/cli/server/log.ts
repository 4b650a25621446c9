import { pino, type Logger } from 'pino';
import sonicBoom from 'sonic-boom';
import { printableJson } from '../print/printable.ts';

/** The log of a server: lines of JSON on stderr. */
export interface ServerLog {
  readonly log: Logger;
  /** Says more or less from now on. */
  setLevel(level: string): void;
  /** Writes a line of another process of the same server. */
  pass(line: string): void;
  /** Writes what is left, as far as somebody reads it within a second. */
  close(): Promise<void>;
}

/** How much of the log waits for its reader; lines beyond it are dropped and counted. */
const WAITING_BYTES_MAX = 1_048_576;
const CLOSE_MS = 1000;

/**
 * Opens the log on stderr. Writing to it never waits: a server must go on when nobody reads what it says, and
 * says how many lines that cost as soon as somebody does.
 */
export function openLog(level: string): ServerLog {
  // Opening the stream makes a pipe one that says "not now" instead of stopping whoever writes.
  const { fd, isTTY } = process.stderr;
  let giveUpAt = Infinity;
  let closed = false;
  let dropped = 0;
  // Not pino's own, which is an older one: at the end it tries a broken pipe again for ever.
  const lines = new sonicBoom.SonicBoom({
    dest: fd,
    sync: false,
    maxLength: WAITING_BYTES_MAX,
    retryEAGAIN: () => Date.now() < giveUpAt,
  });
  // A full disk ends no server: the line is tried again with the next one.
  lines.on('error', () => undefined);
  lines.on('drop', () => {
    dropped += 1;
  });
  lines.on('drain', sayDropped);
  const write = (line: string) => {
    if (!closed) lines.write(isTTY ? printableJson(line) : line);
  };
  const log = pino({ level }, { write });

  function sayDropped(): void {
    if (dropped === 0) return;
    const count = dropped;
    dropped = 0;
    log.error({ lines: count }, 'lines of the log were dropped, because nobody read them');
  }

  /** The last chance, where the process ends without `close`. */
  function flush(): void {
    giveUpAt = Date.now() + CLOSE_MS;
    try {
      lines.flushSync();
    } catch {
      // Nobody reads them.
    }
    lines.destroy();
  }

  process.once('exit', flush);
  return {
    log,
    setLevel: (wanted) => (log.level = wanted),
    pass: (line) => write(`${line}\n`),
    close: async () => {
      process.off('exit', flush);
      giveUpAt = Date.now() + CLOSE_MS;
      // It keeps the process: where nothing can be written, nothing else does, and it would end in between.
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
      const heard = (event: string) => new Promise((resolve) => lines.once(event, resolve));
      // There is no room to tell of the gap before what waits is written.
      if (dropped > 0) await Promise.race([heard('drain'), late]);
      closed = true;
      const written = heard('close');
      lines.end();
      await Promise.race([written, late]);
      clearTimeout(timer);
      lines.destroy();
    },
  };
}
