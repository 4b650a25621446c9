import { Agent, request, type IncomingMessage } from 'node:http';

export type Alias = 'bench' | 'other';

/** Asks a server over kept connections. */
export interface StreamsClient {
  /** Asks a question; what is behind the path's alias says which. */
  readonly ask: (alias: Alias, kind: string, body: object) => Promise<string>;
  readonly countOf: (alias: Alias, body: object) => Promise<number>;
  /** Sends events, each a text of JSON. */
  readonly send: (alias: Alias, events: readonly string[]) => Promise<string>;
  readonly probe: () => Promise<string>;
  /** Asks for all events; the answer is not read yet. */
  readonly startExport: () => Promise<IncomingMessage>;
}

export function createClient(origin: string, secrets: Readonly<Record<Alias, string>>): StreamsClient {
  const agent = new Agent({ keepAlive: true });

  function send(path: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const sent = request(`${origin}${path}`, { method, headers, agent }, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  }

  const start = (alias: Alias, kind: string, body: object) => {
    const headers = { 'X-API-Key': secrets[alias], 'Content-Type': 'application/json' };
    return send(`/v1/api/query/${kind}${alias}`, headers, JSON.stringify(body));
  };
  const ask = async (alias: Alias, kind: string, body: object) => textOf(await start(alias, kind, body));

  return {
    ask,
    countOf: async (alias, body) => (JSON.parse(await ask(alias, 'count/', body)) as { count: number }).count,
    send: async (alias, events) => {
      const headers = { 'Content-Type': 'application/json' };
      return textOf(await send(`/v1/events/${alias}/multi`, headers, `[${events.join(',')}]`));
    },
    probe: async () => textOf(await send('/healthz', {})),
    startExport: () => start('bench', 'export/', {}),
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  if (answer.statusCode !== 200 && answer.statusCode !== 202)
    throw new Error(`${answer.statusCode}: ${text.slice(0, 500)}`);
  return text;
}
