import { openRawClient, type RawClient } from '../../support/raw-client.ts';
import type { Answer } from '../../support/answers.ts';
import { createRandom, type Random } from '../../support/random.ts';
import {
  BAD_TOKEN,
  openArena,
  ORIGIN,
  PAGE_EVENT,
  tellsIn,
  TOKEN,
  type Arena,
  type Prey,
} from '../mutated/arena.ts';
import { mutatedJson, mutatedRequest, serialized, type Outgoing } from '../mutated/mutations.ts';
import { judge, routeOf } from '../mutated/rules.ts';
import { SAMPLES, toText, USER, type Sample } from '../mutated/samples.ts';
import { toRow, type Row } from './report.ts';

/** How many requests are sent, and the seed that makes the same ones again. */
export interface MutatedOptions {
  readonly requests: number | undefined;
  readonly seed: number | undefined;
}

/** Each lane has a connection and tenants of its own. No alias is nearly another's. */
const LANES = ['antelope', 'buffalo', 'crocodile', 'dromedary'];
/** How many requests each lane sends between two looks at everything. */
const ROUND = 50;
/** No answer takes so long. */
const HANG_MS = 60_000;
const FAULTS_MAX = 10;

/** A request, and what has to come of it. */
interface Shot {
  readonly sent: Outgoing;
  /** How many events it must store where nothing is wrong with it; undefined where something may be. */
  readonly good: number | undefined;
}

/** A request that was refused for a limit, to be sent again. */
interface Limited {
  readonly prey: Prey;
  readonly shot: Shot;
  readonly seconds: number;
}

/** What became of a request; the log says its error and the limit that refused it. */
interface Hit {
  readonly status: number;
  readonly stored: number;
  readonly error: unknown;
  readonly limit: unknown;
}

const basic = (user: string, password = '') =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** A lane: a connection, and the tenants that it alone sends to. */
interface Lane {
  readonly name: string;
  readonly random: Random;
  readonly preys: readonly Prey[];
  readonly limited: Map<string, Limited>;
  readonly aliases: readonly string[];
  client: RawClient | undefined;
  sent: number;
}

/**
 * Sends mutated requests to every route of SDKs, over connections that are kept alive, and holds every answer
 * to the rules of its protocol. After each, exactly what was acknowledged is stored, at the tenant that the
 * address names.
 */
export async function runMutated({ requests, seed }: MutatedOptions): Promise<Row[]> {
  const arena = await openArena();
  try {
    return [await attack(arena, requests ?? 200_000, seed ?? Date.now() % 1e9)];
  } finally {
    await arena.server.close();
  }
}

async function attack(arena: Arena, total: number, seed: number): Promise<Row> {
  const wrong: string[] = [];
  const statuses = new Map<number, number>();
  /** Senders who waited, and whom a server without time for them refused. */
  const starved: string[] = [];
  const tried = { stored: 0, clean: 0, retried: 0, repeated: 0 };

  const lanes: Lane[] = [];
  for (const [i, name] of LANES.entries()) {
    const preys = await arena.createPrey(name);
    const aliases = [...preys.map(({ alias }) => alias), preys[0]!.id, 'nobody'];
    lanes.push({
      ...{
        name,
        preys,
        aliases,
        random: createRandom(seed * LANES.length + i),
      },
      ...{ limited: new Map<string, Limited>(), client: undefined, sent: 0 },
    });
  }

  function blame(lane: Lane, { sent }: Shot, faults: readonly string[], answer?: Answer): void {
    const { method, target, headers, body } = sent;
    const start = JSON.stringify(body.toString('latin1').slice(0, 1_500));
    const request = `${method} ${target.slice(0, 600)} ${JSON.stringify(headers)} ${start}`;
    const got = answer === undefined ? '' : ` ${answer.status} ${answer.body.slice(0, 500)}`;
    for (const fault of faults)
      wrong.push(`${lane.name} ${lane.sent}: ${fault.slice(-600)}:${got} to ${request}`);
  }

  /** Sends a request and judges its answer. */
  async function fire(lane: Lane, shot: Shot): Promise<Hit> {
    const { sent, good } = shot;
    lane.sent += 1;
    let answer: Answer;
    try {
      answer = await ask(lane, arena.server.port, sent);
    } catch (error) {
      blame(lane, shot, [`no answer: ${String(error)}`]);
      return { status: 0, stored: 0, error: undefined, limit: undefined };
    }
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const line = arena.takeLine(answer.headers['x-request-id'] ?? '');
    const { faults: own, kept, accepted } = judge(sent, answer, line);
    const faults = [...own, ...arena.takeFaults()];

    const acknowledged = (line?.accepted as number | undefined) ?? 0;
    const duplicates = (line?.duplicates as number | undefined) ?? 0;
    if (accepted !== undefined && accepted !== acknowledged)
      faults.push(`the log says that ${acknowledged} were accepted`);
    if (kept !== undefined && kept !== acknowledged + duplicates)
      faults.push(`the log says that ${acknowledged} and ${duplicates} are stored`);
    const alias = routeOf(sent)?.alias;
    for (const prey of lane.preys) {
      const stored = await arena.count(prey);
      const due = prey.stored + (prey.alias === alias ? acknowledged : 0);
      if (stored !== due) faults.push(`${prey.alias} has ${stored} events and not ${due}`);
      prey.stored = stored;
    }
    const secrets = lane.preys.flatMap(({ query, ingest }) => [query, ingest]);
    const text = JSON.stringify(answer.headers) + answer.body;
    faults.push(...tellsIn(text, [TOKEN, ...secrets]).map((secret) => `it tells ${secret}`));

    const prey = lane.preys.find((each) => each.alias === alias);
    const hasPaid = prey !== undefined && arena.hasPaid(prey);
    const isLimited = answer.status === 429 || (answer.status === 503 && line?.limit !== undefined);
    if (isLimited && prey?.kind === 'small') {
      lane.limited.set(alias!, {
        prey,
        shot,
        seconds: Number(answer.headers['retry-after']),
      });
      // Who waits, waits longer once another request has taken tokens, whatever became of it.
    } else if (hasPaid) lane.limited.delete(alias!);
    if (good !== undefined && !(isLimited && prey?.kind === 'small')) {
      tried.clean += 1;
      if (answer.status !== 200 || acknowledged !== good) faults.push(`${good} events were due`);
    }
    tried.stored += acknowledged;
    blame(lane, shot, faults, answer);
    const { error, limit } = line ?? {};
    return { status: answer.status, stored: acknowledged, error, limit };
  }

  async function round(lane: Lane): Promise<void> {
    for (let i = 0; i < ROUND && wrong.length < FAULTS_MAX; i++) {
      const shot = createShot(lane);
      const first = await fire(lane, shot);
      if (lane.random.below(10) > 0 || routeOf(shot.sent)?.alias.endsWith('small')) continue;
      // What has an id is recognised, and nothing else changes.
      tried.repeated += 1;
      const again = await fire(lane, { ...shot, good: undefined });
      const isSame = again.status === first.status && again.stored <= first.stored;
      if (!isSame) blame(lane, shot, [`sent again: ${again.status}, ${again.stored} stored`]);
    }
  }

  /** What the server has asked to be sent later is taken then, and good requests are answered as ever. */
  async function keepPromises(): Promise<void> {
    const limited = lanes.flatMap((lane) => [...lane.limited.values()].map((each) => ({ lane, ...each })));
    const seconds = limited.map((each) => each.seconds);
    const waited = Math.max(0, ...seconds);
    arena.server.clock.advance(waited * 1_000);
    for (const { lane, shot, prey, seconds: told } of limited) {
      tried.retried += 1;
      const { status, error, limit } = await fire(lane, { ...shot, good: undefined });
      if (status === 429 || status === 503) {
        const by = `${status} ${String(error)} of ${routeOf(shot.sent)?.route.path}`;
        const what = `${prey.alias} was told ${told} s, waited ${waited} s and was refused again: ${by}`;
        // Limits go by the clock of the test, so no machine is too slow for them. Overload goes by its own.
        if (limit !== undefined) blame(lane, shot, [what]);
        else starved.push(what);
      }
      lane.limited.clear();
    }
    for (const lane of lanes) await fire(lane, createShot(lane, true));
  }

  let done = 0;
  while (done < total && wrong.length < FAULTS_MAX) {
    await Promise.all(lanes.map(round));
    await keepPromises();
    done = lanes.reduce((sum, { sent }) => sum + sent, 0);
  }
  for (const lane of lanes) wrong.push(...(await strangersOf(arena, lane)));
  for (const { client } of lanes) client?.close();
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  const { stored, clean, retried, repeated } = tried;
  const figures = [
    `seed ${seed}: ${done} requests (${counts.join(', ')}), ${stored} events stored`,
    `${clean} good requests, ${repeated} repeated, ${retried} sent again after a limit`,
    ...(starved.length === 0 ? [] : [`${starved.length} of them met an overload, as first ${starved[0]}`]),
  ];
  const scarce = stored < done / 10 || retried === 0 || clean < done / 100;
  if (scarce) wrong.push('the requests try too little');
  return toRow('mutated requests to the routes of SDKs', figures.join('; '), wrong);
}

/** What a lane's tenants hold that their sender was not allowed to send. */
async function strangersOf({ server }: Arena, { preys }: Lane): Promise<string[]> {
  const wrong: string[] = [];
  for (const { kind, alias, query, stored } of preys) {
    const count = async (property: string, value: string) => {
      const filterSet = [{ property, comparison: 'NOT_EQUALS', value }];
      const answer = await server.post(`/v1/api/query/count/${alias}`, JSON.stringify({ filterSet }), {
        'X-API-Key': query,
      });
      return ((await answer.json()) as { count: number }).count;
    };
    const all = await count('eventName', 'no event has this name');
    if (all !== stored) wrong.push(`${alias}: a query counts ${all} events of ${stored}`);
    if (kind === 'token' && (await count('userId', USER)) > 0) wrong.push(`${alias} has events of others`);
    if (kind === 'page' && (await count('eventName', PAGE_EVENT)) > 0) wrong.push(`${alias} has other names`);
  }
  return wrong;
}

/** Sends a request on the lane's connection, a new one where the last has ended. */
async function ask(lane: Lane, port: number, { method, target, headers, body }: Outgoing): Promise<Answer> {
  lane.client ??= await openRawClient(port);
  const { client } = lane;
  const fields = Object.entries({
    host: 'a',
    ...headers,
    'content-length': String(body.length),
  });
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ];
  client.send(Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]));
  const hang = setTimeout(() => client.close(), HANG_MS);
  try {
    const answer = await client.read({ head: method === 'HEAD' });
    if (answer.headers.connection === 'close') end(lane);
    return answer;
  } catch (error) {
    end(lane);
    throw error;
  } finally {
    clearTimeout(hang);
  }
}

function end(lane: Lane): void {
  lane.client?.close();
  lane.client = undefined;
}

/** Makes a request; one that is good without doubt if told so. */
function createShot({ name, random, preys, aliases, sent: number }: Lane, mustBeGood = false): Shot {
  const sample = random.pick(SAMPLES);
  const prey = mustBeGood ? preys[0]! : random.pick(preys);
  const isRight = mustBeGood || random.next() < 0.7;
  const { headers, key, parameter } = credentials(sample, prey, {
    preys,
    isRight,
    random,
  });
  const value = sample.json?.(`${name}-${number}`, key);
  const isJsonMutated = !mustBeGood && value !== undefined && random.next() < 0.4;
  const lines = sample.form === 'lines' ? 'lines' : 'json';
  const json = isJsonMutated ? mutatedJson(value, lines, random) : serialized(value, lines);
  const text = value === undefined ? '' : toText(sample.form, json);
  const target = [sample.path.replace('@', prey.alias), parameter, sample.method === 'GET' ? text : '']
    .filter((part) => part !== '')
    .reduce((all, part) => `${all}${all.includes('?') ? '&' : '?'}${part}`);
  let sent: Outgoing = {
    ...{ method: sample.method, target },
    headers: {
      ...(sample.type === null ? {} : { 'content-type': sample.type }),
      ...headers,
    },
    body: Buffer.from(sample.method === 'GET' ? '' : text),
  };
  let isClean = !isJsonMutated;
  for (let left = mustBeGood ? 0 : random.below(4) - 1; left > 0; left--) {
    sent = mutatedRequest(sent, aliases, random);
    isClean = false;
  }
  // A key of the page excludes most names, and a GET has no place for a secret.
  const isGood = isClean && isRight && prey.kind !== 'page';
  return { sent, good: isGood ? (sample.events ?? 0) : undefined };
}

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
  /** What stands in the body where a protocol looks for its key. */
  readonly key: string;
  readonly parameter: string;
}

/** The credentials of a request: those that its tenant asks for, or any in any place. */
function credentials(
  sample: Sample,
  prey: Prey,
  { preys, isRight, random }: { preys: readonly Prey[]; isRight: boolean; random: Random },
): Sender {
  const origin = random.next() < 0.3 ? { origin: ORIGIN } : {};
  if (isRight) return rightCredentials(sample, prey, origin, random);
  const other = random.pick(preys);
  const secret = random.pick([
    ...[prey.query, prey.ingest, prey.write, other.ingest, other.write, other.query, TOKEN, BAD_TOKEN],
    ...[
      '',
      'shop',
      `eqk_${'0'.repeat(64)}`,
      prey.ingest.slice(0, -1),
      `${prey.ingest}0`,
      prey.ingest.toUpperCase(),
    ],
  ]);
  const places: readonly Sender[] = [
    {
      headers: { authorization: `Chase ${secret}` },
      key: 'shop',
      parameter: '',
    },
    {
      headers: { authorization: `Bearer ${secret}` },
      key: 'shop',
      parameter: '',
    },
    { headers: { authorization: basic(secret) }, key: 'shop', parameter: '' },
    {
      headers: { authorization: basic('a', secret) },
      key: 'shop',
      parameter: '',
    },
    { headers: { authorization: secret }, key: 'shop', parameter: '' },
    { headers: { 'x-api-key': secret }, key: 'shop', parameter: '' },
    { headers: {}, key: secret, parameter: '' },
    { headers: {}, key: 'shop', parameter: `writeKey=${secret}` },
    { headers: {}, key: 'shop', parameter: `api_key=${secret}` },
    {
      headers: { authorization: `Chase ${secret}` },
      key: prey.ingest,
      parameter: `writeKey=${prey.write}`,
    },
  ];
  const picked = random.pick(places);
  return { ...picked, headers: { ...picked.headers, ...origin } };
}

function rightCredentials(
  sample: Sample,
  { kind, ingest, write }: Prey,
  origin: { readonly origin?: string },
  random: Random,
): Sender {
  const none: Sender = { headers: origin, key: 'shop', parameter: '' };
  const withAuthorization = (authorization: string): Sender => ({
    ...none,
    headers: { ...origin, authorization },
  });
  if (kind === 'token') return withAuthorization(`Bearer ${TOKEN}`);
  if (kind === 'page') {
    const parameter = `writeKey=${write}`;
    return { ...none, headers: { origin: ORIGIN }, parameter };
  }
  if (kind !== 'server') return none;
  const isCall = /^\/v1\/(segment|rudderstack)\/@\/v1\//.test(sample.path);
  const ways: Sender[] = [withAuthorization(`Chase ${ingest}`), { ...none, parameter: `writeKey=${write}` }];
  if (isCall) ways.push(withAuthorization(basic(ingest)), withAuthorization(basic(write)));
  if (sample.keyed) ways.push({ ...none, key: ingest }, { ...none, key: write });
  // The first parameter of a name counts, and this one has another already.
  return random.pick(sample.path.includes('writeKey=') ? ways.slice(0, 1) : ways);
}
