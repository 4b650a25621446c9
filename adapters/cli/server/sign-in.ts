import type { SignInOptions } from '../../../src/index.ts';
import type { IdentityProvider } from '../../../src/store-kit.ts';
import { oidcProvider, type OpenIdClient } from '../../oidc/index.ts';
import type { OidcSettings } from '../options/oidc-options.ts';
import { loadPackage } from '../stores/drivers.ts';

/** Sign-in through an identity provider, whose settings can change while the server runs. */
export interface SignIn extends SignInOptions {
  /** Switches to new settings. Throws an Error for invalid ones and keeps the old ones. */
  replace(settings: OidcSettings): void;
}

/** Sets up sign-in through an identity provider. Throws an Error that says which package to install. */
export async function openSignIn(settings: OidcSettings): Promise<SignIn> {
  const client = await loadPackage('openid-client', () => import('openid-client'));
  let provider = toProvider(client, settings);
  let { roles } = settings;
  return {
    get roles() {
      return roles;
    },
    provider: {
      get name() {
        return provider.name;
      },
      get claim() {
        return provider.claim;
      },
      get retryMs() {
        return provider.retryMs;
      },
      begin: (login) => provider.begin(login),
      open: (sealed, query) => provider.open(sealed, query),
      finish: (sealed, query) => provider.finish(sealed, query),
      refresh: (identity) => provider.refresh(identity),
      signOutUrl: (identity, back) => provider.signOutUrl(identity, back),
      readLogout: (token) => provider.readLogout(token),
    },
    replace: (next) => {
      provider = toProvider(client, next);
      ({ roles } = next);
    },
  };
}

function toProvider(client: OpenIdClient, settings: OidcSettings): IdentityProvider {
  return oidcProvider({ ...settings, client });
}
