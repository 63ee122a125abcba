import { afterEach, describe, expect, test, vi } from 'vitest';
import { idOfIdempotencyKey } from '../../src/session/ids.js';
import { sha256 } from '../../src/session/sha256.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the SHA-256 of a text', () => {
  test('is that of FIPS 180-4, synchronously', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test.each(['', 'abc', 'größer', '\ud800', 'x'.repeat(100_000)])(
    'is the same by Web Crypto (%#)',
    async (text) => {
      const atOnce = sha256(text);
      vi.stubGlobal('process', {});
      const later = sha256(text);
      expect(later).toBeInstanceOf(Promise);
      expect(await later).toBe(atOnce);
    },
  );

  test('is the same where node:crypto has no hash', () => {
    const atOnce = sha256('größer');
    const { createHash } = process.getBuiltinModule('node:crypto');
    vi.stubGlobal('process', { getBuiltinModule: () => ({ createHash }) });
    expect(sha256('größer')).toBe(atOnce);
  });

  test('gives a session with an idempotency key its id', async () => {
    expect(await idOfIdempotencyKey('default', 'key')).toBe('RGWn8bGCjLYDvNhf4yKBtr');
  });
});
