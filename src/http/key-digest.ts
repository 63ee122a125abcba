/** SHA-256 of API keys, and their comparison, with what the runtime has. */
export interface KeyDigest {
  /** The SHA-256 of a key as 64 hexadecimal digits: at once where there is node:crypto, else a promise by Web Crypto. */
  readonly sha256: (key: string) => string | Promise<string>;
  /** Whether two arrays of the same length are equal, in constant time. */
  readonly areEqual: (one: Uint8Array, other: Uint8Array) => boolean;
}

const inHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

const webDigest: KeyDigest = {
  sha256: async (key) => inHex(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))),
  areEqual: (one, other) => one.reduce((difference, byte, at) => difference | (byte ^ (other[at] ?? 256)), 0) === 0,
};

/**
 * By node:crypto where the runtime has it: Node, Bun, Deno, and Workers with `nodejs_compat`. An import of node:crypto would
 * keep the whole handler from loading elsewhere.
 */
export const keyDigest = (): KeyDigest => {
  const { process }: { readonly process?: Partial<NodeJS.Process> } = globalThis;
  const node = process?.getBuiltinModule?.('node:crypto');
  if (node === undefined) return webDigest;
  const { hash, createHash, timingSafeEqual } = node;
  return {
    // `crypto.hash` takes half the time, but some runtimes do not have it.
    sha256:
      typeof hash === 'function'
        ? (key) => hash('sha256', key)
        : (key) => createHash('sha256').update(key).digest('hex'),
    areEqual: timingSafeEqual,
  };
};
