import { afterEach, describe, expect, test, vi } from 'vitest';
import { idOfIdempotencyKey } from '../../src/session/ids.js';
import { sha256 } from '../../src/session/sha256.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('the SHA-256 of a text', () => {
  test('matches FIPS 180-4, synchronously', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test.each(['', 'abc', 'größer', '\ud800', 'x'.repeat(100_000)])(
    'matches Web Crypto (%#)',
    async (text) => {
      const atOnce = sha256(text);
      vi.stubGlobal('process', {});
      const later = sha256(text);
      expect(later).toBeInstanceOf(Promise);
      expect(await later).toBe(atOnce);
    },
  );

  test('is the same if node:crypto has no hash', () => {
    const atOnce = sha256('größer');
    const { createHash } = process.getBuiltinModule('node:crypto');
    vi.stubGlobal('process', { getBuiltinModule: () => ({ createHash }) });
    expect(sha256('größer')).toBe(atOnce);
  });

  test('determines the id of a session with an idempotency key', async () => {
    expect(await idOfIdempotencyKey('default', 'key')).toBe('RGWn8bGCjLYDvNhf4yKBtr');
  });
});
