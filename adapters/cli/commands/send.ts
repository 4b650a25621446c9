import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { EventInput } from '../../../src/index.ts';
import { toIsoInstant } from '../../../src/store-kit.ts';
import { withAppender } from '../events/open-appender.ts';
import { addSendingOptions } from '../events/remote-options.ts';
import { note, printJson, write } from '../print/output.ts';
import { printable, shellWord } from '../print/printable.ts';
import { failure, isMisuse, messageOf, misuse } from '../process/errors.ts';
import { listenForSignals } from '../process/signals.ts';
import { userName } from '../stores/open-stores.ts';
import { collect, parseMoment } from '../values/parse.ts';
import { toProperties } from '../options/property.ts';

interface SendOptions {
  readonly event: string;
  readonly user?: string;
  readonly at?: number;
  readonly property?: readonly string[];
  readonly id?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const HELP = `
KEY=TEXT sets a text, KEY:=JSON any other value: plan=pro, total:=64, skus:='["MUG-01"]'. Dots in KEY make
levels, as in the paths of filters: device.type=phone.

The command gives the event its time and its id before it sends, so it tries again without storing the event
twice. A tenant with --auth SERVER_SIDE needs a key with the permission ingest, one with --auth JWT an access
token whose sub is the user. --id needs --at: both together identify an event.

Example:
  $ event-query send shop --event order_placed --user ada --property total:=64 --property plan=pro
  $ event-query send shop --event deployed --property version=1.4.2 --url https://events.example.com`;

/** `send ALIAS`: stores one event. */
export function sendCommand(program: Command): void {
  const command = program
    .command('send <alias>')
    .description('store one event')
    .requiredOption('--event <name>', 'what happened')
    .option('--user <id>', 'who did it (default: the name of the user who runs the command)')
    .option(
      '--at <time>',
      'when, an ISO 8601 date-time such as 2024-05-01T10:00:00Z (default: now)',
      parseMoment,
    )
    .option('--property <key=value>', 'a property of the event; repeatable', collect)
    .option('--id <id>', 'the insertId of the event (default: a new UUID)');
  addSendingOptions(command)
    .option('--dry-run', 'say whether the event would be stored, and store nothing')
    .option('--json', 'print {"eventName", "userId", "eventTs", "insertId", "duplicate"}')
    .addHelpText('after', HELP)
    .action(async (alias: string, options: SendOptions, self: Command) => {
      const { json = false, dryRun = false } = self.optsWithGlobals<SendOptions>();
      const event = toEvent(options);
      await withAppender(self, alias, { dryRun }, async (appender) => {
        const signals = listenForSignals();
        const storing = { ending: signals.aborted, say: note };
        try {
          const { duplicates, rejected } = await appender.append([event], storing);
          if (rejected[0] !== undefined) throw misuse(toFlag(rejected[0].error));
          await print(event, dryRun ? { dryRun } : { duplicate: duplicates > 0 }, json);
        } catch (error) {
          throw dryRun ? error : toFailure(error, event);
        } finally {
          signals.forget();
        }
      });
    });
}

type SentEvent = EventInput & { readonly eventTs: string; readonly insertId: string };

function toEvent({ event: eventName, user, at, property = [], id }: SendOptions): SentEvent {
  if (id !== undefined && at === undefined)
    throw misuse('--id needs --at: a repeated command with another time would store another event');
  return {
    eventName,
    userId: user ?? userName(),
    eventTs: toIsoInstant(at ?? Date.now()),
    insertId: id ?? randomUUID(),
    properties: toProperties(property),
  };
}

/** What became of the event: of a dry run nothing, else whether it was stored already. */
type Result = { readonly dryRun: true } | { readonly duplicate: boolean };

async function print(event: SentEvent, result: Result, json: boolean): Promise<void> {
  const { eventName, userId, eventTs, insertId } = event;
  if (json) return printJson({ eventName, userId, eventTs, insertId, ...result });
  const [name, user, id] = [eventName, userId, insertId].map(printable);
  const what = `${name} of ${user} at ${eventTs} with the id ${id}`;
  if ('dryRun' in result) await write(`would store ${what}; nothing is stored\n`);
  else await write(`${result.duplicate ? 'already stored: ' : 'stored '}${what}\n`);
}

const FLAGS = { eventName: '--event', userId: '--user', eventTs: '--at', insertId: '--id' } as const;

/** Rewrites a message of the core: a field of the event becomes the flag that it came from. */
function toFlag(reason: string): string {
  return reason.replace(
    /^(eventName|userId|eventTs|insertId)(?=[: ])/,
    (field) => FLAGS[field as keyof typeof FLAGS],
  );
}

/** An answer that was lost leaves it open whether the event is stored; sent as the same event, it is once. */
function toFailure(error: unknown, { eventTs, insertId }: SentEvent): unknown {
  if (isMisuse(error)) return error;
  return failure(`${messageOf(error)}; to send the same event: --at ${eventTs} --id ${shellWord(insertId)}`);
}
