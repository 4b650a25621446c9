import { Option, type Command } from 'commander';
import { nameOf, rankOf, RANKS } from '../options/sources.ts';
import { misuse } from '../process/errors.ts';
import { nearestPlaceOf, URL_FLAG, URL_VARIABLE } from './remote-options.ts';

/** Commands that the variable cannot mislead: a server itself, and what opens no backend. */
const UNCONCERNED = ['serve', 'demo', 'config schema', 'completion'];

/**
 * Makes the commands that cannot ask a server refuse one. Without this, a command that changes data would
 * work on the default file of this machine while its user means the server of `--url` or of its variable.
 */
export function refuseServers(program: Command): Command {
  for (const command of commandsBelow(program)) {
    const knowsServers = command.options.some((option) => option.attributeName() === URL_FLAG);
    if (knowsServers || UNCONCERNED.includes(pathOf(command))) continue;
    command
      .addOption(new Option('--url <url>').env(URL_VARIABLE).hideHelp())
      .hook('preAction', (_owner, self) => refuse(self));
  }
  return program;
}

function refuse(command: Command): void {
  const rank = rankOf(command, URL_FLAG);
  // `copy` names a backend by --from too.
  const named = Math.max(nearestPlaceOf(command).rank, rankOf(command, 'from'));
  if (rank !== RANKS.cli && (rank !== RANKS.env || named >= rank)) return;
  const name = nameOf(command, URL_FLAG);
  const remedy =
    rank === RANKS.cli ? `leave ${name} out` : `name the file with --db or EVENT_QUERY_DB, or unset ${name}`;
  throw misuse(`${pathOf(command)} works on this machine's file or databases, not on a server: ${remedy}`);
}

/** The commands that do something: those without subcommands. */
function commandsBelow(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(commandsBelow);
}

/** The words that call a command, without the program's own name. */
function pathOf(command: Command): string {
  const above = command.parent;
  return above?.parent == null ? command.name() : `${pathOf(above)} ${command.name()}`;
}
