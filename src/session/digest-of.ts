/** Length of the digest of an append. */
export const DIGEST_LENGTH = 16;

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0');

/**
 * A digest of a text: 64 bits as 16 hex digits, by two multiplicative hashes over UTF-16 code
 * units. It distinguishes a repeated append from a different append with the same operation id. It
 * is fast and synchronous, and need not resist forgery, because a caller can only deceive itself.
 * It must never change, because stores keep it.
 */
export const digestOf = (text: string): string => {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return hex(a) + hex(b);
};
