import { Notice, PageHead } from '../parts/text.tsx';
import { askForAll } from '../address/question.ts';

/** The button that leads back to a question with an answer. */
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

/** The notice that replaces the answer if the address cannot be read. */
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
