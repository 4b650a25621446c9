import type { Ended, Identity, UserClaims } from '../access/identity.ts';

/** A way to sign in that somebody begins: what a provider has to send back, and where the page goes then. */
export interface Login {
  /** A UUID. */
  readonly id: string;
  /** The address of the page that the provider sends back to. */
  readonly redirectUri: string;
  /** Where who signs in wants to be afterwards: a path of the dashboard. */
  readonly returnTo: string;
  /** Which of a browser's logins it is. */
  readonly slot: number;
  /** Until when it can be finished, epoch milliseconds. */
  readonly expiresAt: number;
}

/** Who says who somebody is. It keeps no state: what it gives to be kept is sealed. */
export interface IdentityProvider {
  /** What people know it by. */
  readonly name: string;
  /** The claim that gives roles, for the words of a refusal. */
  readonly claim: string;
  /** After which time it is asked again when it did not answer, in milliseconds. */
  readonly retryMs: number;
  /** Begins a login: where the browser goes, and what it keeps until it is back. Throws `unavailable`. */
  begin(login: Login): Promise<{ readonly url: string; readonly sealed: string }>;
  /** The login that was sealed, where the query string that the provider sent back is an answer to it. */
  open(sealed: string, query: string): Login | undefined;
  /**
   * Finishes a login with the query string that the provider sent back. Throws ApiError `signInRefused` for
   * one that it did not send for this very login, `unavailable` when it does not answer.
   */
  finish(sealed: string, query: string): Promise<UserClaims>;
  /** Asks again; undefined where it refuses for good. Throws `unavailable` when it does not answer. */
  refresh(identity: Identity): Promise<UserClaims | undefined>;
  /**
   * Where a browser goes to end its session at the provider too, which sends it on to `back`; undefined where
   * that has no such place. Throws `unavailable` when it does not answer.
   */
  signOutUrl(identity: Identity, back: string): Promise<string | undefined>;
  /** Whose sessions a logout token ends. Throws ApiError 400 for one that is not the provider's. */
  readLogout(token: string): Promise<Ended>;
}
