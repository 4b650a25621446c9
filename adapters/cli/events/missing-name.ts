import { quote } from '../../../src/transport-kit.ts';
import { note } from '../print/output.ts';
import { nearestOf } from '../values/nearest.ts';
import type { EventReader } from './reader.ts';

/** Tells the user which name was probably meant, after a question about an event name found nothing. */
export async function noteMissingName(reader: EventReader, event: string | undefined): Promise<void> {
  if (event === undefined || !reader.isFree) return;
  const names = await reader.eventNames();
  const meant = names.includes(event) ? undefined : nearestOf(event, names);
  if (meant !== undefined) note(`no event has the name ${quote(event)}; did you mean ${quote(meant)}?`);
}
