import type { StoredEvent } from '../../../src/store-kit.ts';

/** What a writer notes, in the order of things: a promise that was made, or what it is about to ask for. */
export type Note =
  | { readonly is: 'begun'; readonly tenantId: string; readonly label: string }
  | { readonly is: 'stored'; readonly tenantId: string; readonly label: string }
  | { readonly is: 'taking'; readonly writer: string }
  | { readonly is: 'taken'; readonly writer: string; readonly at: number }
  | { readonly is: 'key'; readonly hash: string }
  | { readonly is: 'revoked'; readonly hash: string }
  | { readonly is: 'dropped'; readonly tenantId: string };

/** The file that the notes are written to, beside the database: the recorder puts both in one order. */
export const NOTES_FILE = 'notes';
/** The database of the runs. */
export const DATABASE_FILE = 'events.db';

/** The tenants that are only added to. The first begins with almost a whole chunk of events. */
export const KEPT_TENANTS = ['kept-1', 'kept-2'] as const;

/** How many events the first tenant has before the power can be lost; a chunk of a column has 32,768. */
export const FIRST_EVENTS = 32_700;

/** One event of a batch. The batch's size stands in each, so that half a batch shows. */
export function eventOf(label: string, i: number, of: number): StoredEvent {
  const mixed = Math.imul(i + label.length * 7919, 2_654_435_761) >>> 0;
  return {
    eventName: `name-${mixed % 5}`,
    userId: `user-${mixed % 40}`,
    eventTs: 1_767_225_600_000 + (mixed % 7_776_000_000),
    insertId: `${label}/${i}`,
    propertiesJson: JSON.stringify({ batch: label, kind: `k${mixed % 9}`, note: 'n'.repeat(mixed % 60), of }),
  };
}

/** A batch, the same from the same arguments. */
export function batchOf(label: string, size: number): StoredEvent[] {
  return Array.from({ length: size }, (_, i) => eventOf(label, i, size));
}

/** The notes of all writers that were whole at a moment. */
export function parseNotes(text: string): Note[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Note);
}
