import { writeScripts } from '../../adapters/redis/write-scripts.js';

/** Whether a script is one of those that write. */
export const isWrite = (sha1: unknown): boolean =>
  Object.values(writeScripts).some((script) => script.sha1 === sha1);
