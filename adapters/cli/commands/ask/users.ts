import type { Command } from 'commander';
import type { User } from '../../../../src/index.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { shellWord, valueText } from '../../print/printable.ts';
import type { TableColumn } from '../../print/table.ts';
import { addAskOptions, ask } from './ask.ts';
import { addFilterOptions, FILTER_HELP, type FilterOptions } from '../../options/query-options.ts';
import { addUsersOptions, toUsersBody, type UsersFlags } from '../../options/sequence-options.ts';

interface ReadOptions {
  readonly json?: boolean;
}

const HELP = `
Users are the distinct values of userId, or of --distinct, in pages by key. All conditions hold. With
steps, --reached or --stopped says how far they came; the columns are then when each step was taken.

Example:
  $ event-query users shop --did 'purchase>=3' --never refund --after 2025-01-01
  $ event-query users shop --step product_viewed --step purchase --within 7d --stopped 1`;

/** `users ALIAS`: a page of users by what they did. */
export function usersCommand(program: Command): void {
  const command = program
    .command('users <alias>')
    .description('list users by what they did, or by how far they came in a sequence');
  addAskOptions(addFilterOptions(addUsersOptions(command)))
    .option('--json', 'print the response of the HTTP API')
    .addHelpText('after', FILTER_HELP)
    .addHelpText('after', HELP)
    .action(async (alias: string, options: FilterOptions & UsersFlags, self: Command) => {
      const { json } = self.optsWithGlobals<ReadOptions>();
      const body = toUsersBody(options);
      await ask(self, alias, { question: 'users', body }, async ({ reader }) => {
        const { users, nextCursor } = await reader.userPage(body);
        if (json === true) await printJson(users);
        else await printRows(users, columnsOf(body.sequence?.steps.length ?? 0));
        if (nextCursor !== undefined) note(`next page: --cursor ${shellWord(nextCursor)}`);
      });
    });
}

function columnsOf(steps: number): readonly TableColumn<User>[] {
  return [
    { head: 'USER', text: ({ key }) => (typeof key === 'string' ? key : valueText(key)) },
    { head: 'EVENTS', isNumber: true, text: ({ count }) => String(count) },
    { head: 'FIRST', text: ({ first }) => first },
    { head: 'LAST', text: ({ last }) => last },
    ...Array.from({ length: steps }, (_, k): TableColumn<User> => {
      return { head: `STEP ${k + 1}`, text: ({ at }) => at?.[k] ?? '' };
    }),
  ];
}
