import { quote } from '../../../src/transport-kit.ts';
import type { CountBody, Explanation, TypeMismatch } from '../../../src/index.ts';
import { where } from '../../client/index.ts';
import { note } from '../print/output.ts';
import { valueText } from '../print/printable.ts';
import { nearestOf } from '../values/nearest.ts';
import type { EventReader } from './reader.ts';

/** How long the reasons for an empty answer may take, because a large log has to be read for them. */
const REASONS_MS = 2000;

/** Tells the user why a question may have found nothing: its name, its paths, or the types of its values. */
export async function noteEmptyAnswer(
  reader: EventReader,
  { event, filterSet = [] }: CountBody,
): Promise<void> {
  await noteMissingName(reader, event);
  if (filterSet.length === 0) return;
  try {
    for (const reason of reasonsOf(await explainSoon(reader, filterSet))) note(reason);
  } catch {
    // The question was answered. What only helps to understand the answer is no reason to fail.
    note('--explain with the same flags tells whether events have the paths of the filter');
  }
}

/** Tells the user which name was probably meant, after a question about an event name found nothing. */
export async function noteMissingName(reader: EventReader, event: string | undefined): Promise<void> {
  if (event === undefined || !reader.isFree) return;
  const names = await reader.eventNames();
  const meant = names.includes(event) ? undefined : nearestOf(event, names);
  if (meant !== undefined) note(`no event has the name ${quote(event)}; did you mean ${quote(meant)}?`);
}

/** Tells the user which path was probably meant, after no event had a value at the path of a breakdown. */
export async function noteMissingPath(reader: EventReader, path: string): Promise<void> {
  const explanation = await reader.explain({ filterSet: [where(path).isNotNull()] });
  for (const reason of reasonsOf(explanation)) note(reason);
}

/** Tells the user why no event may have had a number at a path: no event has the path, or texts are there. */
export async function noteMissingNumbers(reader: EventReader, path: string): Promise<void> {
  const explanation = await reader.explain({ filterSet: [where(path).greaterThan(0)] });
  for (const reason of reasonsOf(explanation)) note(reason);
}

/** What a mismatch of types means, such as `properties.total holds strings ("12.5"), never a number`. */
export function describeMismatch({ path, compared, types, examples }: TypeMismatch): string {
  const held = Object.keys(types).map((type) => (type === 'null' ? type : `${type}s`));
  const shown = examples.map(valueText).join(', ');
  const values = `${held.join(' and ')}${shown === '' ? '' : ` (${shown})`}`;
  const sentence = `${path} holds ${values}, never ${compared.map(withArticle).join(' or ')}`;
  if (types.string === undefined || !compared.includes('number')) return sentence;
  return `${sentence}; compare it with a text, or import numbers with --types`;
}

function reasonsOf({ unknownPaths, pathsIntoArrays = [], typeMismatches = [] }: Explanation) {
  return [
    ...unknownPaths.map(({ path, nearest }) => {
      return `no event has ${path}${nearest.length === 0 ? '' : `; did you mean ${nearest.join(' or ')}?`}`;
    }),
    ...pathsIntoArrays.map(({ array }) => `${array} is an array, into which no path leads`),
    ...typeMismatches.map(describeMismatch),
  ];
}

const withArticle = (type: string) => `${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`;

function explainSoon(reader: EventReader, filterSet: NonNullable<CountBody['filterSet']>) {
  return reader.explain({ filterSet }, { signal: AbortSignal.timeout(REASONS_MS) });
}
