import type { Command } from 'commander';

/** Adds options to a command, and shows them in its help below a heading of their own. */
export function inGroup(command: Command, heading: string, add: (command: Command) => Command): Command {
  const before = command.options.length;
  add(command);
  for (const option of command.options.slice(before)) option.helpGroup(heading);
  return command;
}
