export { oidcProvider, type OidcOptions, type OpenIdClient } from './provider.ts';
