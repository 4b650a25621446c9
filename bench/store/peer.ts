import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GroupQuestion, GroupRow } from './group-questions.ts';
import type { Question } from './questions.ts';
import type { TableQuestion, TableRow } from './table-questions.ts';

/** What a peer brings of an event of a page: all of it, of which the bench compares the identity. */
export interface PageRow {
  readonly insertId: string;
}

/** A store that holds the sample events and answers the questions in its own way. */
export interface StorePeer {
  count(question: Question): Promise<number> | number;
  /** The page in the order of answers, whole events. */
  page(question: Question, offset: number, size: number): Promise<readonly PageRow[]> | readonly PageRow[];
  /** The groups of a grouping; peers that are not measured for it have none. */
  groups?(question: GroupQuestion): Promise<readonly GroupRow[]> | readonly GroupRow[];
  /** A small table; peers that are not measured for it have none. */
  table?(question: TableQuestion): Promise<readonly TableRow[]> | readonly TableRow[];
  /** The distinct event names, ascending. */
  names(): Promise<readonly string[]> | readonly string[];
  close(): Promise<void> | void;
}

/** Where a peer puts its files, and how many of the sample events it holds. */
export interface PeerSetting {
  readonly folder: string;
  readonly rows: number;
}

/** Opens a peer with the sample events in it; undefined when its package is not installed. */
export type OpenPeer = (setting: PeerSetting) => Promise<StorePeer | undefined>;

/** The bytes of all files below a folder. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return bytes;
}
