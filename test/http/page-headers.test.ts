import { describe, expect, test } from 'vitest';
import { pageHeaders, truncationHeaders } from '../../src/http/page-headers.js';
import type { Session } from '../../src/index.js';
import { noOptions } from '../../src/session/session-record.js';

const unreadable = (ids: readonly string[]) =>
  pageHeaders('/sessions', { sessions: [], total: 1, limit: 10, unreadable: ids }, {})[
    'X-Unreadable-Sessions'
  ];

describe('X-Unreadable-Sessions', () => {
  test('is only sent if a session is unreadable', () => {
    expect(unreadable([])).toBeUndefined();
    expect(unreadable(['a', 'b'])).toBe('a,b');
  });

  test('contains ids of any characters, encoded as in a path', () => {
    expect(unreadable(['a,b', 'c\r\nX: y', 'é', '\ud800'])).toBe(
      'a%2Cb,c%0D%0AX%3A%20y,%C3%A9,%EF%BF%BD',
    );
  });

  test('contains at most as many ids as clients accept in a header', () => {
    const text = String(
      unreadable(Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(98)}`)),
    );
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(text.split(',').length).toBeGreaterThan(35);
  });
});

describe('X-History-Truncated', () => {
  const session = (id: string, historyCount: number): Session => ({
    id,
    status: 'IDLE',
    options: { ...noOptions, face: 'ada', profile: 'tutor' },
    labels: {},
    metadata: {},
    revision: 1,
    history: [],
    historyCount,
    inbox: 0,
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-01-31T12:00:00.000Z',
    duration: 0,
    durationMs: 0,
  });
  const truncated = (sessions: readonly Session[], historyLimit?: number) =>
    truncationHeaders(sessions, { historyLimit })['X-History-Truncated'];

  test('names the sessions with more entries than requested, encoded as in a path', () => {
    const sessions = [session('a,b', 2), session('c', 1), session('\r\n', 3)];
    expect(truncated(sessions, 1)).toBe('a%2Cb,%0D%0A');
    expect(truncated(sessions, 3)).toBeUndefined();
    expect(truncated(sessions)).toBeUndefined();
  });

  test('contains at most as many ids as clients accept in a header', () => {
    const sessions = Array.from({ length: 100 }, (_, at) => session(`${at}${'x'.repeat(98)}`, 1));
    expect(truncated(sessions, 0)?.length).toBeLessThanOrEqual(4096);
  });
});

describe('the Link header', () => {
  const page = { sessions: [], total: 30, limit: 10, unreadable: [] };

  test('contains only page and limit for a plain query', () => {
    const headers = pageHeaders('/sessions', { ...page, nextCursor: 'x.s1' }, { page: 2 });
    expect(headers['Link']).toBe(
      [
        '</sessions?limit=10&page=1>; rel="first"',
        '</sessions?limit=10&page=1>; rel="prev"',
        '</sessions?limit=10&page=3>; rel="next"',
        '</sessions?limit=10&page=3>; rel="last"',
      ].join(', '),
    );
    expect(headers['X-Next-Cursor']).toBe('x.s1');
  });

  test('repeats the filters of a list, encoded as in a URL', () => {
    const query = {
      order: 'oldest',
      status: 'ACTIVE',
      createdAfter: '2026-01-31T12:00:00+01:00',
      cursor: 'w.s0',
    };
    expect(pageHeaders('/sessions', { ...page, nextCursor: 'x.s1' }, query)['Link']).toContain(
      '</sessions?limit=10&cursor=x.s1&order=oldest&status=ACTIVE&created_after=2026-01-31T12%3A00%3A00%2B01%3A00>; rel="next"',
    );
  });
});
