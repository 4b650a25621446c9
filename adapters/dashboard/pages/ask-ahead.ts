import { effect } from '@preact/signals';
import { place, type PageLocation } from './address/place.ts';
import { askEarly, forgetEarly } from './server/api.ts';
import { choices } from './server/choices.ts';
import { questionOfGroups } from './explore/groups.tsx';
import { unitFirst } from './explore/histogram.tsx';
import { pathOfNames, pathOfProperties } from './explore/filter/seen-paths.ts';
import { bodyOf, pageOf, problemOf } from './address/question.ts';
import { isUnit } from './address/unit.ts';

type AheadQuestion = readonly [path: string, body?: unknown];

/** The questions that the explorer asks at a place; none while its filters cannot be read. */
function questionsAt({ page, alias, parameters }: PageLocation): readonly AheadQuestion[] {
  const isReadable = !parameters.has('filter') || choices.peek().comparisons.length > 0;
  if (page !== 'explore' || alias === '' || !isReadable || problemOf(parameters) !== undefined) return [];
  const body = bodyOf(parameters);
  const by = parameters.get('by') ?? '';
  return [
    [`query/${alias}`, pageOf(body, parameters)],
    [`query/count/${alias}`, body],
    [`query/breakdown/${alias}`, { ...body, by: unitFirst(body, parameters) }],
    ...(by === '' || isUnit(by) ? [] : [[`query/breakdown/${alias}`, questionOfGroups(body, by)] as const]),
    [pathOfNames(alias)],
    [pathOfProperties(alias, parameters)],
  ];
}

/**
 * Asks the explorer's questions as soon as the user goes to a place, so that the answers arrive while the
 * page renders. It skips the questions that the place before has asked already. Returns a function that stops
 * this.
 */
export function askAhead(): () => void {
  let before: ReadonlySet<string> = new Set();
  return effect(() => {
    const questions = questionsAt(place.value);
    if (before.size > 0) forgetEarly();
    for (const [path, body] of questions) {
      if (!before.has(JSON.stringify([path, body]))) askEarly(path, body);
    }
    before = new Set(questions.map((question) => JSON.stringify([question[0], question[1]])));
  });
}
