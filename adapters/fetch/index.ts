export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './handler.ts';
export { webRuntime } from './runtime.ts';
