import { GROUP_QUESTIONS } from './group-questions.ts';
import type { Kind } from './host-protocol.ts';
import type { StorePeer } from './peer.ts';
import { QUESTIONS } from './questions.ts';
import { TABLE_QUESTIONS } from './table-questions.ts';

const PAGE_SIZE = 100;
const DEEP_OFFSET = 50_000;

let calls = 0;

/** Puts a question to a peer; `anew` about a value that it was not asked about before, where it has many. */
export async function ask(of: StorePeer, kind: Kind, question: number, anew: boolean): Promise<unknown> {
  if (kind === 'groups') return of.groups?.(GROUP_QUESTIONS[question]!);
  if (kind === 'tables') return of.table?.(TABLE_QUESTIONS[question]!);
  const known = QUESTIONS[question];
  if (known === undefined || kind === 'names') return of.names();
  const asked = anew && known.another !== undefined ? known.another(calls++) : known;
  if (kind === 'count') return of.count(asked);
  return of.page(asked, kind === 'first page' ? 0 : DEEP_OFFSET, PAGE_SIZE);
}
