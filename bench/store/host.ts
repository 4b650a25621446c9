import { hashOf, median, now } from '../harness.ts';
import { openArrayPeer } from './array-peer.ts';
import { ask } from './ask.ts';
import { openClickHouseJsonPeer, openClickHouseTextPeer } from './clickhouse-peers.ts';
import { openDuckDbFlatPeer, openDuckDbJsonPeer } from './duckdb-peers.ts';
import type { HostCall, HostReply, Kind } from './host-protocol.ts';
import { openMemoryPeer, openSqlitePeer } from './own-peers.ts';
import { bytesBelow, type OpenPeer, type StorePeer } from './peer.ts';
import { openSqliteJsonbPeer, openSqliteTextPeer } from './sqlite-peers.ts';

/** One peer in a process of its own, which is idle while others are measured. */
const OPEN: Readonly<Record<string, OpenPeer>> = {
  'event-query, SQLite': openSqlitePeer,
  'event-query, memory': openMemoryPeer,
  'DuckDB, typed columns': openDuckDbFlatPeer,
  'DuckDB, JSON': openDuckDbJsonPeer,
  'ClickHouse, JSON type': openClickHouseJsonPeer,
  'ClickHouse, String': openClickHouseTextPeer,
  'SQLite by hand, JSONB': openSqliteJsonbPeer,
  'SQLite by hand, JSON text': openSqliteTextPeer,
  'array, hand-written': openArrayPeer,
};

/** However slow an answer is, one is measured; however fast, no more than these. */
const CALLS_MAX = 2000;

let peer: StorePeer | undefined;
const emptyBytes = heapBytes();

/** An answer as peers can agree on it: groups as they are, pages by the identities of their events. */
function toComparable(answer: unknown): unknown {
  if (!Array.isArray(answer)) return answer;
  return answer.map((row: unknown) =>
    typeof row === 'string' || Array.isArray(row) ? row : (row as { insertId: string }).insertId,
  ) as unknown[];
}

/** What JavaScript holds, typed arrays included. */
function heapBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function open(name: string, folder: string, rows: number): Promise<HostReply> {
  const start = now();
  peer = await OPEN[name]?.({ folder, rows });
  if (peer === undefined) return { missing: true };
  return { ns: now() - start, bytes: bytesBelow(folder) };
}

async function askOnce(of: StorePeer, question: number): Promise<HostReply> {
  const start = now();
  await ask(of, 'count', question, false);
  return { ns: now() - start };
}

async function time(of: StorePeer, kind: Kind, question: number, sliceMs: number): Promise<HostReply> {
  const samples: number[] = [];
  const answer = await ask(of, kind, question, false);
  const cpu = process.cpuUsage();
  const start = now();
  do {
    const before = now();
    await ask(of, kind, question, true);
    samples.push(now() - before);
  } while (now() - start < sliceMs * 1e6 && samples.length < CALLS_MAX);
  const { user, system } = process.cpuUsage(cpu);
  const cpuNs = ((user + system) * 1000) / samples.length;
  return { ns: median(samples), cpuNs, answers: hashOf(toComparable(answer)) };
}

async function reply(call: HostCall): Promise<HostReply> {
  if (call.op === 'open') return open(call.peer, call.folder, call.rows);
  if (peer === undefined) return { missing: true };
  if (call.op === 'cold') return askOnce(peer, call.question);
  if (call.op === 'time') return time(peer, call.kind, call.question, call.sliceMs);
  if (call.op === 'memory') return { bytes: heapBytes() - emptyBytes };
  await peer.close();
  return {};
}

process.on('message', (call: HostCall) => {
  reply(call).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
