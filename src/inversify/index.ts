export type { CoreModuleOptions } from './core-module.js';
export { coreModule } from './core-module.js';
export type { HandlerModuleOptions } from './handler-module.js';
export { handlerModule } from './handler-module.js';
export { memoryModule, redisModule } from './store-modules.js';
export { TYPES } from './types.js';
