import { describe, expect, test } from 'vitest';
import { sessionLines, sessionObject } from '../../src/cli/session-lines.js';
import type { Session } from '../../src/index.js';
import { noOptions } from '../../src/session/session-record.js';

const session: Session = {
  id: 's1',
  status: 'ACTIVE',
  options: { ...noOptions, face: 'ada', profile: 'tutor' },
  labels: {},
  metadata: {},
  revision: 1,
  history: [],
  historyCount: 0,
  inbox: 0,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
  duration: 0,
  durationMs: 0,
};

const textOf = (given: Session): string =>
  sessionLines(given, 20)
    .map(({ text }) => text)
    .join('\n');

describe('a session in the terminal', () => {
  test('shows how many messages wait, and why the last attempt failed', () => {
    const work = {
      state: 'retrying',
      since: '2026-01-31T12:00:01.000Z',
      attempt: 2,
      nextAt: '2026-01-31T12:00:03.000Z',
      error: 'no model',
    } as const;
    const text = textOf({ ...session, inbox: 2, work });
    expect(text).toContain('\nInbox     2 messages waiting\n');
    expect(text).toContain(
      '\nWork      retrying since 2026-01-31T12:00:01.000Z, attempt 2, due at 2026-01-31T12:00:03.000Z, last error: no model\n',
    );
    expect(sessionObject({ ...session, inbox: 2, work })).toMatchObject({
      inbox: 2,
      work: { state: 'retrying', attempt: 2, next_at: work.nextAt, error: 'no model' },
    });
  });

  test('shows the usage of its budgets, and counters without a budget', () => {
    const counted = { ...session, usage: { calls: 3, tokens: 900 }, budget: { tokens: 1000 } };
    expect(textOf(counted)).toContain('\nUsage     calls 3, tokens 900 of 1000\n');
    expect(sessionObject(counted)).toMatchObject({
      usage: { calls: 3, tokens: 900 },
      budget: { tokens: 1000 },
    });
    expect(textOf(session)).not.toContain('Usage');
    expect(JSON.stringify(sessionObject(session))).not.toMatch(/usage|budget/);
  });

  test('omits an empty inbox and missing work', () => {
    expect(textOf(session)).not.toMatch(/^(Inbox|Work)/m);
  });
});
