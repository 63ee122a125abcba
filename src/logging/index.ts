export type { Logger } from '../logger.js';
export { logging } from './logging.js';
