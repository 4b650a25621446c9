import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { completionTree } from '../completion/tree.ts';
import { write } from '../print/output.ts';

const HELP = `
The script completes commands, flags and the words that flags choose from. Print it again after an upgrade.

Example:
  $ event-query completion bash > ~/.local/share/bash-completion/completions/event-query
  $ event-query completion zsh > ~/.zfunc/_event-query    # with fpath+=~/.zfunc before compinit
  $ event-query completion fish > ~/.config/fish/completions/event-query.fish`;

/** `completion SHELL`: prints the script with which a shell completes commands. */
export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the script that completes commands in bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => write(completionScript(shell, completionTree(program))));
}
