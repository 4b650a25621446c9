export { DEFAULT_LIMITS, type NodeServerLimits } from './limits/limits.ts';
export {
  createNodeListener,
  type NodeListener,
  type NodeListenerLimits,
  type NodeListenerOptions,
  type ServedOptions,
} from './listener.ts';
export { nodeRuntime, nodeScheduler } from './runtime.ts';
export { createNodeServer, type NodeServer, type NodeServerOptions } from './server.ts';
