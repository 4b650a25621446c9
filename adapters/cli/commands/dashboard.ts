import type { Command } from 'commander';
import { keyCommand } from './dashboard/keys.ts';
import { linkCommand } from './dashboard/link.ts';
import { sessionCommands } from './dashboard/sessions.ts';

/** `dashboard`: sign-in links, who is signed in, and keys for the Admin API. */
export function dashboardCommand(program: Command): void {
  const dashboard = program
    .command('dashboard')
    .description('create sign-in links for the dashboard, list and end sessions, and manage admin keys')
    .addHelpText('after', '\nExample:\n  $ event-query dashboard link');
  linkCommand(dashboard);
  sessionCommands(dashboard);
  keyCommand(dashboard);
}
