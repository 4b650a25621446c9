import type { Command } from 'commander';

/** What each argument of the commands is, by its name. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  alias: 'the alias of the tenant',
  key: 'a key of the remote config: letters, digits, dots, hyphens and underscores',
  value: 'a text of 1 to 4,096 characters',
  id: 'an id, as "list" prints it',
  name: 'what it is: a word or a short line, of 1 to 100 characters',
  files: "files, patterns such as 'logs/*.gz', or - for stdin",
  target: 'a file that does not exist, or a folder (default: the folder "backups" beside the file)',
  shell: 'the shell that is to complete commands',
  backup: 'the file that "backup" has made',
};

/** Describes the arguments of a command and of those below it, in their help. */
export function describeArguments(command: Command): void {
  for (const argument of command.registeredArguments)
    argument.description ||= ARGUMENTS[argument.name()] ?? '';
  command.commands.forEach(describeArguments);
}
