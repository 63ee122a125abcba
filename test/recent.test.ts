import { describe, expect, it } from 'vitest';
import { Recent } from '../src/recent.js';

const remembering = (room: number): Recent<string> => new Recent<string>(room, (text) => text.length);

describe('what was used lately', () => {
  it('is remembered as long as it is asked for', () => {
    const recent = remembering(100);
    recent.set('kept', 'x'.repeat(10));
    for (let other = 0; other < 1000; other += 1) {
      recent.set(`other ${other}`, 'y'.repeat(10));
      expect(recent.get('kept')).toBe('x'.repeat(10));
    }
  });

  it('is forgotten when much else was used since', () => {
    const recent = remembering(100);
    recent.set('first', 'x'.repeat(10));
    for (let other = 0; other < 10; other += 1) recent.set(`other ${other}`, 'y'.repeat(10));
    expect(recent.get('first')).toBeUndefined();
  });

  it('takes no more than its room, however much goes through', () => {
    const recent = remembering(100);
    for (let other = 0; other < 1000; other += 1) recent.set(`other ${other}`, 'y'.repeat(10));
    const kept = Array.from({ length: 1000 }, (_, other) => recent.get(`other ${other}`)).filter((text) => text);
    expect(kept.length * 10).toBeLessThanOrEqual(100);
  });

  it('is what was set last', () => {
    const recent = remembering(100);
    recent.set('a', 'old');
    recent.set('a', 'new');
    expect(recent.get('a')).toBe('new');
  });

  it('is not pushed out by one thing that is too large', () => {
    const recent = remembering(100);
    recent.set('small', 'x');
    recent.set('large', 'y'.repeat(50));
    expect([recent.get('small'), recent.get('large')]).toEqual(['x', undefined]);
  });
});
