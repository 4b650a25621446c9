import type { Command } from 'commander';
import { createProgram } from '../../adapters/cli/program.ts';

/**
 * What is wrong with the words behind `event-query`: a command or a flag that does not exist. Undefined when
 * all exist; the values are not judged.
 */
export function findMisuse(words: readonly string[]): string | undefined {
  const owners: Command[] = [createProgram()];
  let takesValue = false;
  for (const word of words) {
    const command = owners.at(-1)!;
    if (takesValue) {
      takesValue = false;
    } else if (/^--?[a-z]/.test(word)) {
      const [flag = '', value] = word.split('=', 2);
      if (['--help', '-h', '--version', '-V'].includes(flag)) continue;
      const option = owners
        .flatMap(({ options }) => options)
        .find(({ long, short }) => flag === long || flag === short);
      if (option === undefined) return `${command.name()} has no flag ${flag}`;
      takesValue = value === undefined && option.required;
    } else if (command.commands.length > 0) {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined) return `${command.name()} has no command ${word}`;
      owners.push(next);
    }
  }
  return undefined;
}
