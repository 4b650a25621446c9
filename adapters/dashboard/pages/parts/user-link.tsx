import type { ComponentChildren } from 'preact';
import { linkTo } from '../address/address.ts';
import type { KeptQuestion } from '../address/kept.ts';
import { aliasNow } from '../address/place.ts';

const NO_QUESTION: KeptQuestion = {};

/** The address of the page of a user of a tenant. It leads back to the question that found the user. */
export const linkToUser = (alias: string, user: string, question = NO_QUESTION) =>
  linkTo('person', alias, { ...question, user });

/**
 * A user of the current tenant as a link to the page of this user. It leads back to a question, or begins at
 * the event whose time is `at`.
 */
export function UserLink({
  user,
  question = NO_QUESTION,
  children,
}: {
  readonly user: string;
  readonly question?: KeptQuestion | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <a class="user" href={linkToUser(aliasNow.peek(), user, question)}>
      {children}
    </a>
  );
}
