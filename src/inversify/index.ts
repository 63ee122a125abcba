export {
  type CoreModuleOptions,
  coreModule,
  type HandlerModuleOptions,
  handlerModule,
  memoryModule,
  postgresModule,
  redisModule,
  sqliteModule,
} from './modules.js';
export { TYPES } from './types.js';
