import type { JsonObject } from '../../src/index.ts';
import { misfit } from './base/errors.ts';
import { MAPPED_FORMATS } from './formats.ts';
import { proposeJsonLayout, type Found } from './mappings/proposal.ts';
import { findLists } from './readers/json-head.ts';

/** What is said already of a file for which options are proposed, and who is shown how it begins. */
export interface ProposalOptions extends Found {
  readonly list?: string;
  readonly say: (line: string) => void;
}

/** The format of records; undefined for one that no mapping knows. */
export type FindFormat = (records: readonly JsonObject[]) => string | undefined;

/** How many records are shown, and how much of each. */
const [SHOWN, SHOWN_LENGTH] = [3, 200];

/** Throws an Error that proposes to read the list within an object, if it has one. */
export function proposeList(object: JsonObject, findFormat: FindFormat, options: ProposalOptions): void {
  const [list, ...others] = options.list === undefined ? findLists(object) : [];
  if (list === undefined) return;
  show(`this is an object with a list "${list.path}", which begins:`, list.items, options);
  if (others.length > 0) options.say(`it has other lists, too: ${others.map(({ path }) => path).join(', ')}`);
  if (findFormat(list.items) !== undefined) throw misfit('say where its events are', { list: list.path });
  const { layout, notes } = proposeJsonLayout(list.items, options);
  for (const note of notes) options.say(note);
  throw misfit('say where its events are, and which key is which field', { list: list.path, ...layout });
}

/** Throws an Error that proposes which key of objects is which field. */
export function proposeMap(
  objects: readonly JsonObject[],
  findFormat: FindFormat,
  options: ProposalOptions,
): never {
  const { layout, notes } = proposeJsonLayout(objects, options);
  const [object] = objects;
  if (object !== undefined && (objects.length === 1 || layout.map.eventTs === '?'))
    proposeList(object, findFormat, options);
  show('this is JSON of no format that import knows; it begins:', objects, options);
  const from = options.words.option('from');
  options.say(`if it is of one of these nevertheless, ${from} FORMAT says so: ${MAPPED_FORMATS.join(', ')}`);
  for (const note of notes) options.say(note);
  const list = options.list === undefined ? {} : { list: options.list };
  throw misfit('say which key is which field', { ...list, ...layout });
}

function show(title: string, objects: readonly JsonObject[], { say }: ProposalOptions): void {
  const lines = objects.slice(0, SHOWN).map((object) => `  ${JSON.stringify(object).slice(0, SHOWN_LENGTH)}`);
  say([title, ...lines].join('\n'));
}
