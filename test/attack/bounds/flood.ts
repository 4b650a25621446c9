import { Agent, request } from 'undici';

/** A request of an attacker. */
export interface Shot {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** How many are sent, and how. */
export interface FloodOptions {
  readonly connections: number;
  /** How many requests in all; fewer when the time is over. */
  readonly total: number;
  readonly seconds?: number;
  /** Attackers come from another address than the ordinary tenant, as they would. */
  readonly address?: string;
  readonly shot: (i: number) => Shot;
}

/** What came back. */
export interface Tally {
  /** How often each status came, and each reason why none did. */
  readonly statuses: Map<string, number>;
  readonly slowestMs: number;
  /** The longest body. */
  readonly largestBytes: number;
  /** One body of each status. */
  readonly bodies: Map<string, string>;
}

export const ATTACKER = '127.0.0.2';
const BODY_KEPT_MAX = 300;

/** Sends requests on several connections, each when the one before is answered. */
export async function flood(origin: string, options: FloodOptions): Promise<Tally> {
  const { connections, total, seconds = 600, address = ATTACKER, shot } = options;
  const agent = new Agent({
    connections,
    connect: { localAddress: address },
    headersTimeout: 90_000,
    bodyTimeout: 90_000,
  });
  const statuses = new Map<string, number>();
  const bodies = new Map<string, string>();
  let slowestMs = 0;
  let largestBytes = 0;
  let next = 0;
  const endsAt = performance.now() + seconds * 1000;
  const lane = async () => {
    while (next < total && performance.now() < endsAt) {
      const { method = 'POST', path, headers = {}, body } = shot(next++);
      const beganAt = performance.now();
      let status: string;
      try {
        const answer = await request(origin + path, {
          method,
          headers: { ...(method === 'POST' && { 'Content-Type': 'application/json' }), ...headers },
          dispatcher: agent,
          ...(body === undefined ? {} : { body }),
        });
        status = String(answer.statusCode);
        let kept = '';
        let bytes = 0;
        for await (const chunk of answer.body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (kept.length < BODY_KEPT_MAX) kept += chunk.toString('utf8', 0, BODY_KEPT_MAX);
        }
        largestBytes = Math.max(largestBytes, bytes);
        if (!bodies.has(status)) bodies.set(status, kept);
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        status = code ?? message;
        // A server that is gone refuses at once: there is no need to ask it a million times.
        if (status === 'ECONNREFUSED') await new Promise((resolve) => setTimeout(resolve, 200));
      }
      slowestMs = Math.max(slowestMs, performance.now() - beganAt);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  await agent.destroy();
  return { statuses, slowestMs, largestBytes, bodies };
}

/** The statuses as people read them. */
export function toWords({ statuses }: Pick<Tally, 'statuses'>): string {
  return [...statuses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ');
}

/** What is wrong with answers of which only these statuses were expected. */
export function unexpected(tally: Pick<Tally, 'statuses' | 'bodies'>, ...expected: string[]): string[] {
  return [...tally.statuses]
    .filter(([status]) => !expected.includes(status))
    .map(([status, times]) => `${times} answers of ${status}: ${tally.bodies.get(status) ?? ''}`);
}
