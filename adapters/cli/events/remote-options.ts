import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { RemoteServer } from './remote-errors.ts';
import { nameOf, rankOf, RANKS } from '../options/sources.ts';
import { messageOf, misuse } from '../process/errors.ts';
import { parseFile } from '../values/parse.ts';
import { parseServerUrl } from '../values/urls.ts';

interface RemoteOptions {
  readonly url?: string;
  readonly key?: string;
  readonly keyFile?: string;
}

/** A header cannot hold other characters; a secret has 47 of them. */
const KEY_PATTERN = /^[\x21-\x7e]{1,256}$/;

/** The name under which commander keeps the URL. */
export const URL_FLAG = 'url';

/** The variable of the URL. */
export const URL_VARIABLE = 'EVENT_QUERY_URL';

/** The flags that name the backends of this machine. */
const PLACES = ['db', 'events', 'control', 'limits', 'from'];

/** Adds the flags of a server that is asked instead of the file. */
export function addRemoteOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--url <url>', 'ask this server over HTTP, instead of the file')
        .env(URL_VARIABLE)
        .argParser(parseServerUrl),
    )
    .addOption(
      new Option('--key <key>', 'the API key for --url; other users of this machine can see a flag').env(
        'EVENT_QUERY_KEY',
      ),
    )
    .addOption(
      new Option('--key-file <file>', 'a file that holds the API key; - for stdin')
        .env('EVENT_QUERY_KEY_FILE')
        .argParser(parseFile),
    );
}

/**
 * The server that a command asks; undefined when it works with the backends of this machine. A flag counts
 * more than a variable, and a variable more than the configuration file.
 */
export function remoteServerOf(command: Command): RemoteServer | undefined {
  const { url } = command.optsWithGlobals<RemoteOptions>();
  const nearest = nearestPlaceOf(command);
  const rank = rankOf(command, URL_FLAG);
  if (url === undefined || rank < nearest.rank) {
    if (rankOf(command, 'key') === RANKS.cli || rankOf(command, 'keyFile') === RANKS.cli)
      throw misuse('a key is for a server: name it with --url');
    return undefined;
  }
  if (rank === nearest.rank) {
    const [asked, other] = [nameOf(command, URL_FLAG), nameOf(command, nearest.name)];
    throw misuse(`${asked} asks a server and ${other} opens a backend: leave one of them out`);
  }
  return { url, key: keyOf(command) };
}

/** The flag for a backend of this machine that counts most in a command. */
export function nearestPlaceOf(command: Command): { readonly name: string; readonly rank: number } {
  const places = PLACES.map((name) => ({ name, rank: rankOf(command, name) }));
  return places.reduce((most, place) => (place.rank > most.rank ? place : most));
}

function keyOf(command: Command): string {
  const { key, keyFile } = command.optsWithGlobals<RemoteOptions>();
  const [keyRank, fileRank] = [rankOf(command, 'key'), rankOf(command, 'keyFile')];
  if (key === undefined && keyFile === undefined)
    throw misuse('--url needs the key of the tenant: --key-file FILE, or EVENT_QUERY_KEY');
  if (key !== undefined && keyFile !== undefined && keyRank === fileRank)
    throw misuse(`${nameOf(command, 'key')} and ${nameOf(command, 'keyFile')}: leave one of them out`);
  const isFile = key === undefined || (keyFile !== undefined && fileRank > keyRank);
  const name = nameOf(command, isFile ? 'keyFile' : 'key');
  const secret = isFile ? readKey(keyFile!, name) : key;
  // The text is not quoted: it may be almost the secret.
  if (!KEY_PATTERN.test(secret))
    throw misuse(`${name} takes the secret of an API key, one line without spaces`);
  return secret;
}

function readKey(file: string, name: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim();
  } catch (error) {
    throw misuse(`${name}: ${messageOf(error)}`);
  }
}
