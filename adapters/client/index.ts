export {
  createClient,
  type CallOptions,
  type Client,
  type ClientOptions,
  type ClientPage,
  type TailOptions,
} from './client.ts';
export { EventQueryError } from './errors.ts';
export { allOf, anyOf, not, where, type Comparisons } from './filters.ts';
