import { toPath } from '../address/paths.ts';
import { place } from '../address/place.ts';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { isUnit } from '../time/unit.ts';
import type { SeenPaths } from './filter/seen-paths.ts';
import { GroupsPanel } from './groups.tsx';
import { Histogram, optionsOf } from './histogram.tsx';
import type { AskedQuestion } from './asked-question.ts';

/** The table of two dimensions. Only those who ask for one need its code. */
const CROSSED = lazy(async () => (await import('./crossed.tsx')).Crossed);

/** What differs between two times. */
const DIFFERS = lazy(async () => (await import('./differs.tsx')).Differs);

interface CutsProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
}

/** The matching events over time and by value. */
export function Cuts({ alias, asked, seenPaths }: CutsProps) {
  const { parameters } = place.value;
  const options = optionsOf(parameters);
  const { by } = options;
  const and = parameters.get('and') ?? '';
  const against = parameters.get('against') ?? '';
  return (
    <>
      <div class="columns wide-left cuts">
        <Histogram alias={alias} asked={asked} options={options} seenPaths={seenPaths} />
        <GroupsPanel alias={alias} asked={asked} seenPaths={seenPaths} />
      </div>
      {against !== '' && <Loaded of={DIFFERS} props={{ alias, asked, against }} />}
      {by !== undefined && and !== '' && !isUnit(and) && (
        <Loaded of={CROSSED} props={{ alias, asked, by, and: toPath(and), measure: options.measure }} />
      )}
    </>
  );
}
