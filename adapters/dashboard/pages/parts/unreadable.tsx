import type { ComponentChildren } from 'preact';
import { useErrorBoundary, useLayoutEffect } from 'preact/hooks';
import { linkTo } from '../address/address.ts';
import { place } from '../address/place.ts';
import { askForAll, askReadable } from '../address/question.ts';
import { messageOf } from '../server/api.ts';
import { Notice, PageHead, Reload } from './text.tsx';

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
  readonly problem: string;
}

/** The notice that replaces a page if its address cannot be read. */
export function Unreadable({ title, problem }: UnreadableProps) {
  const { page } = place.value;
  return (
    <>
      <PageHead title={title} lead={'\u00a0'} />
      <Notice kind="error">
        <p>
          <bdi>{problem}</bdi> It may have been truncated.
        </p>
        <p class="ways">
          {page === 'explore' || page === 'live' ? (
            <ShowAll />
          ) : (
            <button type="button" onClick={askReadable}>
              Show the page without it
            </button>
          )}
        </p>
      </Notice>
    </>
  );
}

/**
 * A page, or a notice in its place if it cannot be drawn. The menu stays, and each way to another place draws
 * the page again.
 */
export function Guarded({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const [error, reset] = useErrorBoundary((thrown: unknown) => console.error(thrown)) as [
    unknown,
    () => void,
  ];
  const { page, alias } = place.value;
  useLayoutEffect(() => {
    if (error !== undefined) reset();
  }, [place.value]);
  if (error === undefined) return children;
  return (
    <>
      <PageHead title={title} lead={'\u00a0'} />
      <Notice kind="error">
        <p>
          This page cannot be shown: <bdi>{messageOf(error)}</bdi>
        </p>
        <p class="ways">
          <a class="button" href={linkTo(page, alias)}>
            Show it from its beginning
          </a>
          <Reload />
        </p>
      </Notice>
    </>
  );
}
