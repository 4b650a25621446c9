import { runCli } from './program.ts';

// Each write handles its own error; without a listener Node would end the process with a stack trace.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

process.exitCode = await runCli(process.argv);
