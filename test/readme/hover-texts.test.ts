import { beforeAll, describe, expect, test } from 'vitest';
import { hoverTexts } from './hover-texts.js';

describe("the editor's hover texts of public names", () => {
  let texts: ReadonlyMap<string, string>;
  beforeAll(() => {
    texts = hoverTexts();
  });

  test('cover options, fields and methods', () => {
    expect(texts.get('colloquy: CreateSessionInput.timeLimit')).toContain('seconds');
    expect(texts.get('colloquy: SessionService.start')).toContain('IDLE to ACTIVE');
    expect(texts.get('colloquy: InvalidInput.message')).toBeTruthy();
    for (const field of ['id', 'status', 'endReason', 'history'])
      expect(texts.get(`colloquy: Session.${field}`)).toBeTruthy();
    expect(texts.size).toBeGreaterThan(500);
  });

  test('exist for each of them', () => {
    expect([...texts].filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
  });
});
