import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundleProgram } from '../../../support/bundle.ts';

describe('a program that awaits what cannot come', () => {
  it('says that this is a fault of ours, and ends with the code that the page names', () => {
    const program = JSON.stringify(bundleProgram('adapters/cli/process/unsettled.ts'));
    const text = `import { reportUnsettled } from ${program};
      reportUnsettled(); await new Promise(() => {});`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text]);
    expect([status, stderr.toString()]).toEqual([13, expect.stringMatching(/^event-query: .* fault of /m)]);
  });
});
