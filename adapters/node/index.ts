export type { NodeListener, NodeListenerOptions } from './node-listener.js';
export { nodeListener } from './node-listener.js';
