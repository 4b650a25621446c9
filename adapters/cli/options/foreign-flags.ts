import type { Command } from 'commander';

/** What other tools call flags that the commands have by another name. */
const MEANT: Readonly<Record<string, string>> = {
  '--limit': '--size',
  '--top': '--size',
  '--since': '--after',
  '--start': '--after',
  '--to': '--before',
  '--end': '--before',
  '--where': '--filter',
  '--group-by': '--by',
  '--name': '--event',
};

/** The reason why a flag is unknown, with the flag of the command that was meant: not one of like letters. */
export function withMeantFlag(reason: string, command: Command | undefined): string {
  const [, flag = ''] = /^unknown option '(--[\w-]+)'/.exec(reason) ?? [];
  const meant = Object.hasOwn(MEANT, flag) ? MEANT[flag] : undefined;
  if (command?.options.some(({ long }) => long === meant) !== true) return reason;
  return `unknown option '${flag}' (Did you mean ${meant}?)`;
}
