import type { Command, Option } from 'commander';

/** A word that can come next, and what it means, on one line. */
export interface CompletionWord {
  readonly word: string;
  readonly about: string;
}

/** What can follow one command. */
export interface CompletionNode {
  /** The words of the command after the program's name, separated by blanks; empty for the program. */
  readonly path: string;
  /** Subcommands, or what an argument chooses from. */
  readonly words: readonly CompletionWord[];
  readonly flags: readonly CompletionWord[];
  /** The flags that take one of a few words. */
  readonly choices: readonly { readonly flag: string; readonly words: readonly string[] }[];
  /** The flags that take any other value. */
  readonly valued: readonly string[];
}

/** The commands of a program with their flags, from the program down. */
export function completionTree(program: Command): readonly CompletionNode[] {
  return nodesOf(program, '', program.options);
}

function commandsOf({ commands }: Command): readonly CompletionWord[] {
  return commands.map((below) => ({ word: below.name(), about: below.description() }));
}

function argumentChoicesOf({ registeredArguments }: Command): readonly CompletionWord[] {
  return registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, about: description })),
  );
}

function nodesOf(command: Command, path: string, common: readonly Option[]): readonly CompletionNode[] {
  const shown = [...new Set([...command.options, ...common])].filter(({ hidden }) => !hidden);
  const flags = shown.flatMap(({ long, description }) =>
    long == null ? [] : [{ word: long, about: description }],
  );
  const node: CompletionNode = {
    path,
    words: [...commandsOf(command), ...argumentChoicesOf(command)],
    flags: [...flags, { word: '--help', about: 'display help for command' }],
    choices: shown.flatMap(({ long, argChoices }) =>
      long == null || argChoices === undefined ? [] : [{ flag: long, words: argChoices }],
    ),
    valued: shown.flatMap(({ long, required, argChoices }) =>
      long != null && required && argChoices === undefined ? [long] : [],
    ),
  };
  const below = command.commands.flatMap((each) => nodesOf(each, `${path} ${each.name()}`.trim(), common));
  return [node, ...below];
}
