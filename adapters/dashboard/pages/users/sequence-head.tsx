import { linkTo } from '../address/address.ts';
import type { KeptQuestion } from '../address/kept.ts';
import { cut } from '../address/written.ts';
import { PageHead } from '../parts/text.tsx';
import { withinText } from '../steps/length.ts';
import type { ListedUsers } from './question.ts';

const NAME_LENGTH = 60;

/** The heading of the users of a question. */
export function headOf({ sequence }: ListedUsers): { readonly title: string; readonly lead: string } {
  if (sequence === undefined)
    return { title: 'Users', lead: 'Who has events, how many, and from when to when.' };
  const { steps, within, step, isEnd } = sequence;
  const names = steps.map(({ event }) => (event === '' ? 'any event' : cut(event, NAME_LENGTH)));
  const lead = `${names.join(' → ')}${within === '' ? '' : `, within ${withinText(within)}`}`;
  return { title: `Users who ${isEnd ? 'stopped at' : 'reached'} step ${step}`, lead };
}

/** What only the list of the users of a step asks. */
const OF_LIST = ['stopped', 'reached', 'search', 'in', 'least', 'sort'];

/** The heading of the users of a step, with the way back to its funnel. */
export function SequenceHead({
  alias,
  users,
  question,
}: {
  readonly alias: string;
  readonly users: ListedUsers;
  readonly question: KeptQuestion;
}) {
  const ofFunnel = Object.entries(question).filter(([name]) => !OF_LIST.includes(name));
  return (
    <PageHead {...headOf(users)}>
      <a class="button" href={linkTo('funnel', alias, Object.fromEntries(ofFunnel))}>
        Show the funnel
      </a>
    </PageHead>
  );
}
