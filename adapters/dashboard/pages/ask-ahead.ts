import { effect } from '@preact/signals';
import { type PageLocation } from './address/address.ts';
import { now, place } from './address/place.ts';
import { askEarly, forgetEarly, toQuestion } from './server/api.ts';
import { choices } from './server/choices.ts';
import { questionOfGroups } from './explore/group-search.ts';
import { optionsOf } from './explore/histogram.tsx';
import { pathOfMarks } from './explore/marked.ts';
import { firstQuestion } from './explore/series.ts';
import { askedNow, questionOfLatest } from './explore/time.ts';
import { pathOfNames, pathOfProperties } from './explore/filter/seen-paths.ts';
import { problemNow, rowsOf } from './address/question.ts';

type AheadQuestion = readonly [path: string, body?: unknown];

/** The questions that the explorer asks at a place; none while its filters cannot be read. */
function questionsAt({ page, alias, parameters }: PageLocation): readonly AheadQuestion[] {
  const isReadable = !parameters.has('filter') || choices.peek().comparisons.length > 0;
  if (page !== 'explore' || alias === '' || !isReadable || problemNow.value !== undefined) return [];
  const known: readonly AheadQuestion[] = [[pathOfNames(alias)], [pathOfProperties(alias, parameters)]];
  const asked = askedNow(alias);
  if (asked === undefined) return [[`query/${alias}`, questionOfLatest(now.peek())], ...known];
  const { body } = asked;
  const options = optionsOf(parameters);
  const buckets = firstQuestion(asked, options);
  return [
    rowsOf(alias, body, parameters),
    [`query/count/${alias}`, body],
    ...(buckets === undefined ? [] : [[`query/breakdown/${alias}`, buckets] as const]),
    ...(options.by === undefined
      ? []
      : [[`query/breakdown/${alias}`, questionOfGroups(body, options.by)] as const]),
    [pathOfMarks(alias, asked.range)],
    ...known,
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
    const texts = new Set(questions.map(([path, body]) => toQuestion(path, body)));
    forgetEarly([...before].filter((question) => !texts.has(question)));
    for (const [path, body] of questions) {
      if (!before.has(toQuestion(path, body))) askEarly(path, body);
    }
    before = texts;
  });
}
