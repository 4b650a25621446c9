import { Ajv } from 'ajv';
import { expect, it, onTestFinished, vi } from 'vitest';
import { warmQuestions } from '../../../../adapters/cli/server/warm.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  parseExportBody,
  parseQueryBody,
} from '../../../../src/index.ts';

it('leaves no validator to be compiled by the first question of its kind', async () => {
  await warmQuestions();
  const compile = vi.spyOn(Ajv.prototype, 'compile');
  onTestFinished(() => compile.mockRestore());
  parseQueryBody({ event: 'a' });
  parseCountBody({ event: 'a' });
  parseExportBody({ event: 'a' });
  parseBreakdownBody({ event: 'a', by: 'hour' });
  expect(compile).not.toHaveBeenCalled();
});
