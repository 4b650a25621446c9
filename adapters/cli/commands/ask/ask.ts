import type { Command } from 'commander';
import type { ExplainBody, QuestionBodies, QuestionName } from '../../../../src/index.ts';
import { withReader, type OpenReader } from '../../events/open-reader.ts';
import { addRemoteOptions } from '../../events/remote-options.ts';
import { printExplanation } from './explanation.ts';

interface AskFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
}

/** Adds what every question has: the flags of a server, and the one that explains it instead. */
export function addAskOptions(command: Command): Command {
  return addRemoteOptions(command).option(
    '--explain',
    'print what this question means and how it is answered, without asking it',
  );
}

/** Answers the question of a command, or explains it where its user asks for that. */
export async function ask<Name extends QuestionName>(
  command: Command,
  alias: string,
  { question, body }: { readonly question: Name; readonly body: QuestionBodies[Name] },
  answer: (open: OpenReader) => Promise<void>,
): Promise<void> {
  const { explain = false, json = false } = command.optsWithGlobals<AskFlags>();
  await withReader(command, alias, async (open) => {
    if (!explain) return answer(open);
    await printExplanation(await open.reader.explain({ ...body, question } as ExplainBody), json);
  });
}
