export type { NodeListener, NodeListenerOptions } from './listener.js';
export { nodeListener } from './listener.js';
