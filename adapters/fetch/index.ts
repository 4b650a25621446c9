export { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './handler.ts';
export { webResources } from './resources.ts';
