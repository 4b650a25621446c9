import type { SignInOptions } from '../../../src/index.ts';
import { oidcProvider } from '../../oidc/index.ts';
import type { OidcSettings } from '../options/oidc-options.ts';
import { loadPackage } from '../stores/drivers.ts';

/** How people sign in who are known to an identity provider. Throws an Error that says what to install. */
export async function openSignIn({ roles, ...settings }: OidcSettings): Promise<SignInOptions> {
  const client = await loadPackage('openid-client', () => import('openid-client'));
  return { provider: oidcProvider({ client, ...settings }), roles };
}
