import type { Breakdown } from '../../../../src/index.ts';
import { place } from '../address/place.ts';
import { ask } from '../server/api.ts';
import { useOnce } from '../server/loading.ts';
import type { SeenPaths } from './filter/seen-paths.ts';
import { questionOfGroups } from './group-search.ts';
import { GroupsPanel } from './groups.tsx';
import { Histogram, optionsOf } from './histogram.tsx';
import type { AskedQuestion } from './asked-question.ts';

interface CutsProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
}

/** The matching events over time and by value. Both need the most frequent values, asked for once. */
export function Cuts({ alias, asked, seenPaths }: CutsProps) {
  const options = optionsOf(place.value.parameters);
  const { by = '' } = options;
  const groups = useOnce(
    (signal) => ask<Breakdown>(`query/breakdown/${alias}`, questionOfGroups(asked.body, by), { signal }),
    [alias, asked.subject, asked.since, by],
  );
  return (
    <div class="columns wide-left cuts">
      <Histogram alias={alias} asked={asked} options={options} groups={groups} />
      <GroupsPanel alias={alias} asked={asked} seenPaths={seenPaths} first={groups} />
    </div>
  );
}
