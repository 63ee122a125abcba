export {
  type CoreModuleOptions,
  coreModule,
  type HandlerModuleOptions,
  handlerModule,
  memoryModule,
  redisModule,
} from './modules.js';
export { TYPES } from './types.js';
