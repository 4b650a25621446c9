import type { ComponentChildren } from 'preact';
import { place } from '../address/place.ts';
import { stepsOf } from '../address/question.ts';
import type { AskedStep } from '../address/steps.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { TimeControl } from '../explore/time-control.tsx';
import { useAsked } from '../explore/time.ts';
import { PageSkeleton } from '../parts/skeleton.tsx';
import { PageHead, Refusal } from '../parts/text.tsx';

interface AskedStepsProps {
  readonly alias: string;
  readonly head: { readonly title: string; readonly lead: string };
  /** The rest of the page, once its range of time is known. */
  readonly children: (asked: AskedQuestion, steps: readonly AskedStep[]) => ComponentChildren;
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
        <>
          <TimeControl asked={asked} />
          {children(asked, stepsOf(place.value.parameters))}
        </>
      )}
    </>
  );
}
