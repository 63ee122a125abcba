import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const HOW_TO_GET_REDIS =
  'Install one (Debian: apt-get install redis-server, macOS: brew install redis), or set REDIS_SERVER to the path of a ' +
  'redis-server or valkey-server binary.';

/** The redis-server to test against: REDIS_SERVER if it is set, otherwise the first on PATH. */
export function findRedisServer(): string | undefined {
  const named = process.env['REDIS_SERVER'];
  if (named === undefined || named === '') {
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    return folders.map((folder) => join(folder, 'redis-server')).find(isExecutable);
  }
  // A wrong path is a mistake to hear of: falling back would test against another server than the one asked for.
  if (!isExecutable(named)) throw new Error(`REDIS_SERVER is ${named}, which is not an executable file`);
  return named;
}

export const redisAvailable = (): boolean => findRedisServer() !== undefined;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
