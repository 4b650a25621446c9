import { quote } from '../../../src/transport-kit.ts';
import { where } from '../../client/index.ts';
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

/** Tells the user which path was probably meant, after no event had a value at the path of a breakdown. */
export async function noteMissingPath(reader: EventReader, path: string): Promise<void> {
  const { unknownPaths, pathsIntoArrays } = await reader.explain({ filterSet: [where(path).isNotNull()] });
  for (const { nearest } of unknownPaths) {
    const meant = nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`;
    note(`no event has ${path}${meant}`);
  }
  for (const { array } of pathsIntoArrays ?? []) note(`${array} is an array, into which no path leads`);
}
