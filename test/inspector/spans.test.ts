import { describe, expect, test } from 'vitest';
import { spansOf } from '../../src/inspector/page/spans.js';

const at = (second: number): string => new Date(second * 1000).toISOString();

/** The spans of a session that was created at second 0, until second 100. */
const spans = (
  active: number,
  { started, ended }: { readonly started?: number; readonly ended?: number } = {},
) =>
  spansOf(
    {
      created_at: at(0),
      started_at: started === undefined ? undefined : at(started),
      ended_at: ended === undefined ? undefined : at(ended),
    },
    active,
    100_000,
  ).map(({ status, seconds }) => `${status} ${seconds}`);

describe('the spans of a session in the inspector', () => {
  test('last until now, or until its end', () => {
    expect(spans(0)).toEqual(['IDLE 100']);
    expect(spans(67, { started: 3 })).toEqual(['IDLE 3', 'ACTIVE 67', 'PAUSED 30']);
    expect(spans(27, { started: 3, ended: 60 })).toEqual(['IDLE 3', 'ACTIVE 27', 'PAUSED 30']);
    expect(spans(0, { ended: 60 })).toEqual(['IDLE 60']);
  });

  test('omit what is shorter than a second, and never run backwards on a slow clock', () => {
    expect(spans(97, { started: 3 })).toEqual(['IDLE 3', 'ACTIVE 97']);
    expect(spans(0, { started: 200 })).toEqual(['IDLE 200']);
  });
});
