// Before the rest is loaded, which takes most of a start: a server reads its configuration after that anyway.
if (['serve', 'demo'].some((command) => process.argv.includes(command)))
  process.on('SIGHUP', () => undefined);

// Each write handles its own error; without a listener Node would end the process with a stack trace.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

// Before anything else is loaded: an older Node fails to load it, with a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`event-query: needs Node 20.19 or later; this is v${process.versions.node}\n`);
  process.exitCode = 1;
} else {
  const { reportUnsettled } = await import('./process/unsettled.ts');
  reportUnsettled();
  const { runCli } = await import('./program.ts');
  process.exitCode = await runCli(process.argv);
}
