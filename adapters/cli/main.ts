// Before the rest is loaded, which takes most of a start: a server reads its configuration after that anyway.
if (['serve', 'demo'].some((command) => process.argv.includes(command)))
  process.on('SIGHUP', () => undefined);

// Each write handles its own error; without a listener Node would end the process with a stack trace.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

const { reportUnsettled } = await import('./process/unsettled.ts');
reportUnsettled();
const { runCli } = await import('./program.ts');
process.exitCode = await runCli(process.argv);
