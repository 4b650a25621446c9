import { Option, type Command } from 'commander';
import { parseRole } from '../../../../src/internal.ts';
import { parsePagesUrl } from '../../options/oidc-options.ts';
import { failure, misuse } from '../../process/errors.ts';
import { note, write } from '../../print/output.ts';
import { placesOf, type ConnectionUrls } from '../../stores/places.ts';
import { parseHost, parsePort } from '../../values/parse.ts';
import { toLocalHost, toUrl } from '../../values/urls.ts';
import { idsOf, roleOption, withDesk, type Desk } from './credentials.ts';

/** Whom a link is for. */
interface LinkOptions {
  readonly name?: string;
  readonly role?: string;
  readonly tenant?: readonly string[];
}

/** Prints a sign-in link for the dashboard of the server that uses these places. */
export async function printLink(
  places: ConnectionUrls,
  url: string,
  options: LinkOptions = {},
): Promise<void> {
  await withDesk(places, async (desk) => {
    const { secret } = await createLink(options, desk);
    await write(`dashboard: ${url}/sign-in#${secret}\nThe link works once, within ten minutes.\n`);
  });
}

/** Makes the link: for an owner with the user's name, unless the options say another. */
async function createLink({ name, role, tenant }: LinkOptions, desk: Desk) {
  const { credentials, people, by } = desk;
  if ([name, role, tenant].every((each) => each === undefined))
    return credentials.createLink({ name: by.who, role: 'admin', tenantIds: null }, by);
  if (name === undefined || role === undefined)
    throw misuse('a link for somebody needs --name and --role; without --tenant it is for all tenants');
  // An alias that is misspelt is told with the nearest one.
  await idsOf(desk, tenant);
  return people.invite({ by }, { name, role: parseRole(role), tenants: tenant ?? null });
}

/** `dashboard link`: a sign-in link, for oneself or for a colleague. */
export function linkCommand(dashboard: Command): void {
  dashboard
    .command('link')
    .description('print a sign-in link that works once, within ten minutes')
    .addOption(
      new Option('--host <host>', 'the host of the dashboard')
        .env('EVENT_QUERY_HOST')
        .default('127.0.0.1')
        .argParser(parseHost),
    )
    .addOption(new Option('--port <port>', 'its port').env('PORT').default(8787).argParser(parsePort))
    .addOption(
      new Option('--admin-port <port>', 'its port on 127.0.0.1, where serve has this flag too')
        .env('EVENT_QUERY_ADMIN_PORT')
        .argParser(parsePort),
    )
    .addOption(
      new Option('--dashboard-url <url>', 'its URL behind a proxy, for a link with --name')
        .env('EVENT_QUERY_DASHBOARD_URL')
        .argParser(parsePagesUrl),
    )
    .option('--name <name>', 'who signs in by the link, for a colleague')
    .addOption(roleOption())
    .option('--tenant <alias...>', 'only for these tenants')
    .addHelpText(
      'after',
      '\nExamples:\n  $ event-query dashboard link --port 8080' +
        '\n  $ event-query dashboard link --name ada --role viewer --tenant shop',
    )
    .action(async (options: LinkOptions & Where, self: Command) => {
      const { host, port, adminPort, dashboardUrl } = options;
      // A link for oneself opens the dashboard on this machine, and nowhere else.
      if (options.name === undefined && self.getOptionValueSource('dashboardUrl') === 'cli')
        throw misuse('--dashboard-url is for a link with --name; yours opens the dashboard on this machine');
      const isPublic = dashboardUrl !== undefined && options.name !== undefined;
      const own = adminPort === undefined ? toUrl(toLocalHost(host), port) : toUrl('127.0.0.1', adminPort);
      const url = isPublic ? dashboardUrl : own;
      await checkServed(url);
      await printLink(placesOf(self), url, options);
    });
}

interface Where {
  readonly host: string;
  readonly port: number;
  readonly adminPort?: number;
  readonly dashboardUrl?: string;
}

/** How long a server on this machine may take to answer whether it serves the dashboard. */
const ASK_MS = 2_000;

/** Throws an Error when the server serves no dashboard; when no server answers, prints a note only. */
async function checkServed(url: string): Promise<void> {
  let status: number;
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    ({ status } = await fetch(`${url}/sign-in`, { method: 'HEAD', redirect: 'manual', signal }));
  } catch {
    note(`no server answers at ${url} now: start one with serve --dashboard to use the link`);
    return;
  }
  if (status === 404)
    throw failure(
      `the server at ${url} serves no dashboard: ` +
        'start it with --dashboard, or name its port with --admin-port',
    );
}
