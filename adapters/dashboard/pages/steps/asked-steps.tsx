import type { ComponentChildren } from 'preact';
import { place } from '../address/place.ts';
import { stepsOf } from '../address/question.ts';
import type { AskedStep } from '../address/steps.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { useSeenPaths, type SeenPaths } from '../explore/filter/seen-paths.ts';
import { useAsked } from '../explore/time.ts';
import { PageSkeleton } from '../parts/skeleton.tsx';
import { PageHead, Refusal } from '../parts/text.tsx';
import { QuestionBar } from './question-bar.tsx';

/** What is asked within a range of time, and what is known of the events. */
interface QuestionOfSteps {
  readonly asked: AskedQuestion;
  readonly steps: readonly AskedStep[];
  readonly seenPaths: SeenPaths;
}

interface AskedStepsProps {
  readonly alias: string;
  readonly head: { readonly title: string; readonly lead: string };
  /** The rest of the page, once its range of time is known. */
  readonly children: (asked: QuestionOfSteps) => ComponentChildren;
}

/** A page about steps within a range of time: its heading, the range, and what is asked. */
export function AskedSteps({ alias, head, children }: AskedStepsProps) {
  const { asked, error, again } = useAsked(alias);
  if (asked === undefined && error === undefined) return <PageSkeleton {...head} />;
  return (
    <>
      <PageHead {...head} />
      {asked === undefined ? (
        <Refusal error={error ?? ''} again={again} />
      ) : (
        <Ready alias={alias} asked={asked}>
          {children}
        </Ready>
      )}
    </>
  );
}

function Ready({
  alias,
  asked,
  children,
}: Pick<AskedStepsProps, 'alias' | 'children'> & { readonly asked: AskedQuestion }) {
  const seenPaths = useSeenPaths(alias, asked.since);
  return (
    <>
      <QuestionBar asked={asked} seenPaths={seenPaths} />
      {children({ asked, steps: stepsOf(place.value.parameters), seenPaths })}
    </>
  );
}
