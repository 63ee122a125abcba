const inHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * node:crypto where the runtime has it: Node, Bun, Deno, and Workers with `nodejs_compat`. Not
 * imported, because a module with the import would not load elsewhere.
 */
export const nodeCrypto = () => {
  const { process }: { readonly process?: Partial<NodeJS.Process> } = globalThis;
  return process?.getBuiltinModule?.('node:crypto');
};

/**
 * The SHA-256 of a text as 64 hexadecimal digits (FIPS 180-4). Synchronous where there is
 * node:crypto, which takes a thirtieth of the time of Web Crypto and keeps simulations repeatable;
 * otherwise a promise.
 */
export const sha256 = (text: string): string | Promise<string> => {
  const node = nodeCrypto();
  if (node === undefined)
    return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)).then(inHex);
  // `crypto.hash` takes half the time of `createHash`, but some runtimes lack it.
  if (typeof node.hash === 'function') return node.hash('sha256', text);
  return node.createHash('sha256').update(text).digest('hex');
};
