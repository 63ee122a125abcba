export {
  type CoreModuleOptions,
  coreModule,
  type HandlerModuleOptions,
  handlerModule,
  memoryModule,
  redisModule,
  sqliteModule,
} from './modules.js';
export { TYPES } from './types.js';
