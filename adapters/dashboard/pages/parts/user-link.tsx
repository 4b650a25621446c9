import type { ComponentChildren } from 'preact';
import { linkTo } from '../address/address.ts';
import { aliasNow } from '../address/place.ts';

/** The address of the page of a user of a tenant. */
export const linkToUser = (alias: string, user: string) => linkTo('person', alias, { user });

/** A user of the current tenant as a link to the page of this user. */
export function UserLink({
  user,
  children,
}: {
  readonly user: string;
  readonly children: ComponentChildren;
}) {
  return (
    <a class="user" href={linkToUser(aliasNow.peek(), user)}>
      {children}
    </a>
  );
}
