import { Option, type Command } from 'commander';
import type { RemoteServer } from './remote-errors.ts';
import type { SendingServer } from './remote-appender.ts';
import { readText } from '../files/read-text.ts';
import { inGroup } from '../print/in-group.ts';
import { nameOf, rankOf, RANKS } from '../options/sources.ts';
import { messageOf, misuse } from '../process/errors.ts';
import { parseFile } from '../values/parse.ts';
import { parseServerUrl } from '../values/urls.ts';

interface RemoteOptions {
  readonly url?: string;
}

/** A header cannot hold other characters; a secret has 47 of them. */
const KEY_PATTERN = /^[\x21-\x7e]{1,256}$/;
const TOKEN_PATTERN = /^[\x21-\x7e]{1,16384}$/;

/** The name under which commander keeps the URL. */
export const URL_FLAG = 'url';

/** The variable of the URL. */
export const URL_VARIABLE = 'EVENT_QUERY_URL';

/** The flags that name the backends of this machine. */
const PLACES = ['db', 'events', 'control', 'limits'];

/** Adds the flags of a server that is asked instead of the file. */
export function addRemoteOptions(command: Command): Command {
  return inGroup(command, 'A server, instead of the file:', (each) =>
    each
      .addOption(urlOption('ask this server over HTTP, instead of the file'))
      .addOption(keyOption('the API key for --url; other users of this machine can see a flag'))
      .addOption(keyFileOption('a file that holds the API key; - for stdin')),
  );
}

/** Adds the flags of a server that is sent events, instead of storing them in the file. */
export function addSendingOptions(command: Command): Command {
  return inGroup(command, 'A server, instead of the file:', (each) =>
    each
      .addOption(urlOption('send to this server over HTTP, instead of storing in the file'))
      .addOption(keyOption('a key with the permission ingest, for SERVER_SIDE; other users can see a flag'))
      .addOption(keyFileOption('a file that holds this key; - for stdin'))
      .addOption(
        new Option('--token-file <file>', 'a file that holds an access token, for JWT; - for stdin')
          .env('EVENT_QUERY_TOKEN_FILE')
          .argParser(parseFile),
      ),
  );
}

const urlOption = (about: string) =>
  new Option('--url <url>', about).env(URL_VARIABLE).argParser(parseServerUrl);
const keyOption = (about: string) => new Option('--key <key>', about).env('EVENT_QUERY_KEY');
const keyFileOption = (about: string) =>
  new Option('--key-file <file>', about).env('EVENT_QUERY_KEY_FILE').argParser(parseFile);

/** The names under which commander keeps what a server is shown. */
const CREDENTIALS = ['key', 'keyFile', 'tokenFile'];

/** The server that a command asks; undefined when it works with the backends of this machine. */
export function remoteServerOf(command: Command): RemoteServer | undefined {
  const url = findUrl(command);
  if (url === undefined) return undefined;
  const shown = findCredential(command);
  if (shown === undefined)
    throw misuse('--url needs the key of the tenant: --key-file FILE, or EVENT_QUERY_KEY');
  return { url, key: shown.secret };
}

/**
 * The server that a command sends events to; undefined when it stores them in the backends of this machine.
 * Without a credential only a tenant of the strategy `NONE` takes them.
 */
export function sendingServerOf(command: Command): SendingServer | undefined {
  const url = findUrl(command);
  if (url === undefined) return undefined;
  const shown = findCredential(command);
  if (shown === undefined) return { url };
  return shown.name === 'tokenFile' ? { url, token: shown.secret } : { url, secretKey: shown.secret };
}

/**
 * The address of the server that a command talks to; undefined for none. A flag counts more than a variable,
 * and a variable more than the configuration file.
 */
function findUrl(command: Command): string | undefined {
  const { url } = command.optsWithGlobals<RemoteOptions>();
  const nearest = nearestPlaceOf(command);
  const rank = rankOf(command, URL_FLAG);
  if (url === undefined || rank < nearest.rank) {
    const shown = CREDENTIALS.find((name) => rankOf(command, name) === RANKS.cli);
    if (shown !== undefined)
      throw misuse(`a ${shown === 'tokenFile' ? 'token' : 'key'} is for a server: name it with --url`);
    return undefined;
  }
  if (rank === nearest.rank) {
    const [asked, other] = [nameOf(command, URL_FLAG), nameOf(command, nearest.name)];
    throw misuse(`${asked} names a server and ${other} a backend: leave one of them out`);
  }
  return url;
}

/** The flag for a backend of this machine that counts most in a command. */
export function nearestPlaceOf(command: Command): { readonly name: string; readonly rank: number } {
  const places = PLACES.map((name) => ({ name, rank: rankOf(command, name) }));
  return places.reduce((most, place) => (place.rank > most.rank ? place : most));
}

/** What a command shows its server, from the flag or variable that counts most; undefined for nothing. */
function findCredential(command: Command): { readonly name: string; readonly secret: string } | undefined {
  const found = CREDENTIALS.map((name) => ({ name, rank: rankOf(command, name) }))
    .filter(({ rank }) => rank > RANKS.default)
    .sort((a, b) => b.rank - a.rank);
  const [first, second] = found;
  if (first === undefined) return undefined;
  if (first.rank === second?.rank)
    throw misuse(`${nameOf(command, first.name)} and ${nameOf(command, second.name)}: leave one of them out`);
  const value = command.optsWithGlobals<Readonly<Record<string, string>>>()[first.name]!;
  const called = nameOf(command, first.name);
  const secret = first.name === 'key' ? value : readSecret(value, called);
  const isToken = first.name === 'tokenFile';
  // The text is not quoted: it may be almost the secret.
  if (!(isToken ? TOKEN_PATTERN : KEY_PATTERN).test(secret))
    throw misuse(
      `${called} takes ${isToken ? 'an access token' : 'the secret of an API key'}, one line without spaces`,
    );
  return { name: first.name, secret };
}

function readSecret(file: string, name: string): string {
  try {
    return readText(file, 'the secret').trim();
  } catch (error) {
    throw misuse(`${name}: ${messageOf(error)}`);
  }
}
