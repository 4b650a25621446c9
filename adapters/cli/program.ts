import { Command, Help } from 'commander';
import { describeArguments } from './arguments.ts';
import { breakdownCommand } from './commands/ask/breakdown.ts';
import { compareCommand } from './commands/ask/compare.ts';
import { retentionCommand } from './commands/ask/retention.ts';
import { usersCommand } from './commands/ask/users.ts';
import { sequenceCommand } from './commands/ask/sequence.ts';
import { backupCommand } from './commands/backup.ts';
import { checkCommand } from './commands/check.ts';
import { compactCommand } from './commands/compact.ts';
import { completionCommand } from './commands/completion.ts';
import { configCommand } from './commands/config.ts';
import { copyCommand } from './commands/copy.ts';
import { dashboardCommand } from './commands/dashboard.ts';
import { demoCommand } from './commands/demo.ts';
import { eraseCommand } from './commands/erase.ts';
import { exportCommand } from './commands/export.ts';
import { healthCommand } from './commands/health.ts';
import { importCommand } from './commands/import.ts';
import { keyCommand } from './commands/key.ts';
import { markCommand } from './commands/mark.ts';
import { migrateCommand } from './commands/migrate.ts';
import { countCommand, namesCommand, queryCommand, topCommand } from './commands/ask/query.ts';
import { propertiesCommand } from './commands/ask/properties.ts';
import { refusalsCommand } from './commands/refusals.ts';
import { remoteConfigCommand } from './commands/remote-config.ts';
import { restoreCommand } from './commands/restore.ts';
import { sendCommand } from './commands/send.ts';
import { serveCommand } from './commands/serve.ts';
import { tailCommand } from './commands/ask/tail.ts';
import { tenantCommand } from './commands/tenant.ts';
import { refuseServers } from './events/without-server.ts';
import { EXIT, isBrokenPipe, misuse, toEnding, type ExitCode } from './process/errors.ts';
import { addConfigOption } from './options/config.ts';
import { withMeantFlag } from './options/foreign-flags.ts';
import { speakFor } from './options/log-options.ts';
import { beQuiet, complain, speakThrough } from './print/output.ts';
import { addPlaceOptions } from './stores/places.ts';
import { hintOf } from './values/nearest.ts';
import { VERSION } from './values/version.ts';

const WHAT = 'Stores product events and returns exactly those that match a filter.';

const HELP = `
Data goes to stdout, everything else to stderr. Lists are tables on a terminal and tab-separated lines
elsewhere; --json prints output for programs. Exit codes: 0 done, 1 failed, 2 called incorrectly.
Commands work while a server has the file open, and their changes take effect from the next request.

Example:
  $ event-query tenant create shop --plan growth
  $ event-query import shop events.ndjson.gz
  $ event-query key create shop --name backend --permission query
  $ event-query serve`;

const PAGES = `
Documentation: README.md of the package, and adapters/cli/README.md of the sources.`;

/** Makes the program with all its commands. */
export function createProgram(): Command {
  const program = new Command('event-query');
  program
    .description(`${WHAT}\n\nStart here: event-query demo`)
    .version(VERSION, '-v, --version', 'print the version and the build')
    .option('-q, --quiet', 'print no messages but warnings and errors, and no progress')
    .option('--no-input', 'never ask; what needs a confirmation fails without its flag')
    .addHelpText('after', HELP)
    .addHelpText('afterAll', PAGES)
    .configureHelp({
      showGlobalOptions: true,
      formatHelp: (command, helper) => commandsFirst(Help.prototype.formatHelp.call(helper, command, helper)),
    })
    // Only runCli prints errors.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addConfigOption(addPlaceOptions(program));
  program.commandsGroup('Serve:');
  serveCommand(program);
  demoCommand(program);
  healthCommand(program);
  program.commandsGroup('Tenants and keys:');
  dashboardCommand(program);
  tenantCommand(program);
  keyCommand(program);
  refusalsCommand(program);
  remoteConfigCommand(program);
  markCommand(program);
  program.commandsGroup('Store and ask:');
  importCommand(program);
  sendCommand(program);
  queryCommand(program);
  topCommand(program);
  countCommand(program);
  namesCommand(program);
  propertiesCommand(program);
  breakdownCommand(program);
  sequenceCommand(program);
  retentionCommand(program);
  usersCommand(program);
  compareCommand(program);
  tailCommand(program);
  exportCommand(program);
  eraseCommand(program);
  program.commandsGroup('Look after the data:');
  copyCommand(program);
  backupCommand(program);
  restoreCommand(program);
  checkCommand(program);
  compactCommand(program);
  migrateCommand(program);
  configCommand(program);
  completionCommand(program);
  describeArguments(program);
  return refuseServers(program);
}

/** Help with the sections of options behind those of commands: what can be done comes before how. */
function commandsFirst(help: string): string {
  const [usage = '', ...sections] = help.trimEnd().split(/\n\n(?=\S)/);
  const isOptions = (section: string) => /^.*:\n {2}-/.test(section);
  const others = sections.filter((section) => !isOptions(section));
  return `${[usage, ...others, ...sections.filter(isOptions)].join('\n\n')}\n`;
}

/** Runs a command line and resolves to its exit code. Every error becomes one line on stderr. */
export async function runCli(argv: readonly string[]): Promise<ExitCode> {
  const program = createProgram();
  const names = program.commands.map((command) => command.name());
  try {
    const [first, about] = argv.slice(2);
    // Commander would print all of its help, without a word about the name.
    if (first === 'help' && about !== undefined && !names.includes(about) && !about.startsWith('-'))
      throw misuse(`unknown command ${JSON.stringify(about)}${hintOf(about, names)}`);
    await program.parseAsync(argv);
    return EXIT.ok;
  } catch (error) {
    if (isBrokenPipe(error)) return EXIT.ok;
    const { exitCode, reason } = toEnding(error);
    if (reason !== undefined) {
      // The error can have come before the command was known.
      const name = program.args[0] ?? argv.slice(2).find((word) => names.includes(word));
      const command = program.commands.find((each) => each.name() === name);
      speakFor(command);
      complain(withMeantFlag(reason, command));
    }
    return exitCode;
  } finally {
    beQuiet(false);
    speakThrough();
  }
}
