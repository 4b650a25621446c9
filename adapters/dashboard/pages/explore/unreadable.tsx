import { Notice, PageHead } from '../parts/text.tsx';
import { askForAll } from '../address/question.ts';

/** The way back to a question that has an answer. */
export function ShowAll() {
  return (
    <button type="button" onClick={askForAll}>
      Show all events
    </button>
  );
}

interface UnreadableProps {
  readonly title: string;
  readonly lead: string;
  readonly problem: string;
}

/** What stands in the place of an answer where nobody knows what an address asks for. */
export function Unreadable({ problem, ...head }: UnreadableProps) {
  return (
    <>
      <PageHead {...head} />
      <Notice kind="error">
        <p>
          <bdi>{problem}</bdi> It may have been truncated.
        </p>
        <p class="ways">
          <ShowAll />
        </p>
      </Notice>
    </>
  );
}
