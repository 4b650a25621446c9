import { writeSync } from 'node:fs';

/** Node's exit code of a program that awaits something which cannot come any more. */
const UNSETTLED = 13;

/** Says that it is a fault of ours when this process ends before its command is done: Node says nothing. */
export function reportUnsettled(): void {
  process.on('exit', (code) => {
    // Until Node 22, only the second of them is set by now.
    if (code !== UNSETTLED && process.exitCode !== UNSETTLED) return;
    const text =
      'event-query: this command ended before it was done, and may have done a part of its work: that is a ' +
      'fault of event-query; please report it with the command\n';
    try {
      writeSync(process.stderr.fd, text);
    } catch {
      // Nothing reads stderr any more.
    }
  });
}
