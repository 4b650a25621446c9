import type { Ended, Identity, UserClaims } from '../access/identity.ts';

/** A login in progress: what the provider's response must match, and where the browser goes afterwards. */
export interface Login {
  /** A UUID. */
  readonly id: string;
  /** The URL of the page that the provider redirects back to. */
  readonly redirectUri: string;
  /** Where the person wants to be afterwards: a path of the dashboard. */
  readonly returnTo: string;
  /** Distinguishes the logins of one browser. */
  readonly slot: number;
  /** When the login expires, epoch milliseconds. */
  readonly expiresAt: number;
}

/** Which account a login is for. */
export interface AccountChoice {
  /** Whether the provider lets the person choose another account than the one that it knows. */
  readonly another: boolean;
}

/** An identity provider. It is stateless: data that it hands out to be kept is sealed. */
export interface IdentityProvider {
  /** The provider's name for people. */
  readonly name: string;
  /** The claim that determines roles, for error messages. */
  readonly claim: string;
  /** How long to wait before asking again if it did not answer, in milliseconds. */
  readonly retryMs: number;
  /**
   * Begins a login: returns the URL for the browser and the data that it keeps until it is back. Throws
   * `unavailable`.
   */
  begin(login: Login, choice?: AccountChoice): Promise<{ readonly url: string; readonly sealed: string }>;
  /** Opens the sealed login if the query string from the provider answers it. */
  open(sealed: string, query: string): Login | undefined;
  /**
   * Finishes a login with the query string from the provider. Throws ApiError `signInRefused` if it does not
   * belong to this login, `unavailable` if the provider does not answer.
   */
  finish(sealed: string, query: string): Promise<UserClaims>;
  /**
   * Refreshes the claims; undefined if the provider permanently refuses. Throws `unavailable` if it does not
   * answer.
   */
  refresh(identity: Identity): Promise<UserClaims | undefined>;
  /**
   * The URL where a browser ends its session at the provider too, which then redirects to `back`; undefined
   * if the provider has none. Throws `unavailable` if it does not answer.
   */
  signOutUrl(identity: Identity, back: string): Promise<string | undefined>;
  /** The sessions that a logout token ends. Throws ApiError 400 for a token that is not from the provider. */
  readLogout(token: string): Promise<Ended>;
}
