export { createClient, type Client, type ClientPage, type TailOptions } from './client.ts';
export type { CallOptions, ClientOptions } from './requests.ts';
export { EventQueryError } from './errors.ts';
export { allOf, anyOf, not, where, type Comparisons, type KindOf, type MethodName } from './filters.ts';
