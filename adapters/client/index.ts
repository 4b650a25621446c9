export { createClient, type Client } from './client.ts';
export { createSender, type Sender, type SenderOptions } from './sender.ts';
export type { ClientOptions } from './requests.ts';
export type { SenderCredentials } from './delivery.ts';
export type { TargetOptions } from './options.ts';
export type { Undelivered } from './sending.ts';
export { EventQueryError } from './errors.ts';
export { allOf, anyOf, not, where, type Comparisons, type KindOf, type MethodName } from './filters.ts';
