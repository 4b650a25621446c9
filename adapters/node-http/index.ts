export { DEFAULT_LIMITS, type NodeServerLimits } from './limits/limits.ts';
export {
  createNodeListener,
  type NodeListener,
  type NodeListenerLimits,
  type NodeListenerOptions,
} from './listener.ts';
export { trustedProxies } from './proxy/trusted.ts';
export { nodeResources } from './resources.ts';
export { createNodeServer, type NodeServer, type NodeServerOptions } from './server.ts';
