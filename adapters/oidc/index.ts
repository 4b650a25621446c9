export type { OidcOptions, OpenIdClient } from './options.ts';
export { oidcProvider } from './provider.ts';
