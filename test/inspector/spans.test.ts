import { describe, expect, test } from 'vitest';
import { spansOf } from '../../src/inspector/page/spans.js';
import type { SessionStatus } from '../../src/session/session-status.js';

const at = (second: number): string => new Date(second * 1000).toISOString();

const spans = (status: SessionStatus, changes: readonly (readonly [type: string, second: number])[], now = 100) =>
  spansOf(
    { status, created_at: at(0) },
    changes.map(([type, second]) => ({ type: `session.${type}`, at: at(second) })),
    now * 1000,
  )?.map((span) => `${span.status} ${span.from / 1000}-${span.to / 1000}`);

describe('the spans of a session', () => {
  test('last until now, or until its end', () => {
    expect(spans('IDLE', [['created', 0]])).toEqual(['IDLE 0-100']);
    const held = [
      ['created', 0],
      ['started', 3],
      ['appended', 5],
      ['paused', 20],
      ['resumed', 50],
    ] as const;
    expect(spans('ACTIVE', held)).toEqual(['IDLE 0-3', 'ACTIVE 3-20', 'PAUSED 20-50', 'ACTIVE 50-100']);
    expect(spans('TERMINATED', [...held, ['terminated', 60]])?.at(-1)).toBe('ACTIVE 50-60');
    expect(spans('TERMINATED', [['terminated', 60]])).toEqual(['IDLE 0-60']);
  });

  test('never run backwards on a clock that is behind', () => {
    expect(spans('ACTIVE', [['started', 200]])).toEqual(['IDLE 0-200', 'ACTIVE 200-200']);
  });

  test('are unknown where events are missing', () => {
    expect(spans('ACTIVE', [['resumed', 50]])).toBeUndefined();
    expect(spans('PAUSED', [['started', 3]])).toBeUndefined();
    expect(spans('TERMINATED', [])).toBeUndefined();
  });
});
