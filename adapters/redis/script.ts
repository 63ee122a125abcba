import { createHash } from 'node:crypto';

/** A Lua script and the SHA-1 by which the server knows it. */
export interface Script {
  readonly lua: string;
  readonly sha1: string;
}

export const script = (lua: string): Script => ({ lua, sha1: createHash('sha1').update(lua).digest('hex') });
