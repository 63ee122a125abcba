import { describe, expect, test } from 'vitest';
import { HistoryLog } from '../../../adapters/memory/history-log.js';
import { upTo } from '../../../src/testing/samples.js';

const entries = (count: number) =>
  upTo(count).map((at) => ({ role: 'user', content: `${at}`, timestamp: '2026-01-01T00:00:00Z' }));

/** Entries at the positions 1, 8 and 9, after two rewinds to the first. */
const rewound = () => {
  const log = new HistoryLog('incarnation');
  log.append({ entries: entries(3) });
  log.append({ truncate: 1, entries: entries(2) });
  log.append({ truncate: 1, entries: entries(2) });
  return log;
};

describe('a position in a history that was rewound', () => {
  test('is current at the beginning, at the end, at an entry and at a rewind before an entry', () => {
    const log = rewound();
    expect([0, 1, 7, 8, 9].map((position) => log.entriesUpToCurrent(position))).toEqual([
      0, 1, 1, 2, 3,
    ]);
  });

  test('is superseded otherwise, and a read continues with the next entry', () => {
    const log = rewound();
    for (const after of [2, 3, 4, 5, 6]) {
      expect(log.entriesUpToCurrent(after)).toBeUndefined();
      expect(log.part({ after, limit: 1 })).toMatchObject({
        isSuperseded: true,
        entries: [{ position: 8 }],
      });
    }
  });
});
