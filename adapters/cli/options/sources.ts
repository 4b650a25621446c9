import type { Command } from 'commander';

/** How much the place counts from which an option has its value: a flag the most. */
export const RANKS = { default: 0, config: 1, env: 2, cli: 3 } as const;

/** The rank of the place from which an option of a command has its value. */
export function rankOf(command: Command, name: string): number {
  const source = command.getOptionValueSourceWithGlobals(name);
  return source === undefined ? RANKS.default : RANKS[source as keyof typeof RANKS];
}

/** A flag, or the variable that set it. */
export function nameOf(command: Command, name: string): string {
  for (let owner: Command | null = command; owner !== null; owner = owner.parent) {
    const option = owner.options.find((each) => each.attributeName() === name);
    if (option === undefined) continue;
    return (rankOf(command, name) === RANKS.env ? option.envVar : option.long) ?? name;
  }
  return name;
}
