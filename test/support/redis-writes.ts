import { writeScripts } from '../../adapters/redis/write-scripts.js';

export const isWrite = (sha1: unknown): boolean =>
  Object.values(writeScripts).some((script) => script.sha1 === sha1);
