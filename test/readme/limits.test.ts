import { describe, expect, test } from 'vitest';
import {
  DEFAULT_PAGE_LIMIT,
  defaultLimits,
  ENTRY_ID_LENGTH,
  HISTORY_LIMIT,
  MAX_LABELS,
  MAX_LEASE_SECONDS,
  PAGE_LIMIT,
  SEARCH_LIMIT,
} from '../../src/session/limits.js';
import { documentOf } from './documents.js';

const KIB = 1024;
const DAY_SECONDS = 24 * 60 * 60;
const { timeLimit, contentBytes, metadataBytes, entriesPerAppend, pageBytes } = defaultLimits;

/** A number as the documents write it. */
const told = (number: number): string => number.toLocaleString('en-US');

const flat = (text: string): string => text.replace(/\s+/g, ' ');

const claims: readonly (readonly [document: string, ...claims: readonly string[]])[] = [
  ['docs/time-limits.md', `at most ${timeLimit / DAY_SECONDS} days`],
  [
    'docs/user-sessions.md',
    `\`limit\`** is ${DEFAULT_PAGE_LIMIT} by default and at most ${PAGE_LIMIT}`,
    `at most ${MAX_LABELS} labels`,
    `more than ${told(SEARCH_LIMIT)}`,
    `\`limits.metadataBytes\` (${metadataBytes / KIB} KiB)`,
    `\`limits.pageBytes\` (${pageBytes / KIB / KIB} MiB)`,
  ],
  [
    'docs/histories.md',
    `\`limits.contentBytes\` (${contentBytes / KIB} KiB)`,
    `at most ${told(HISTORY_LIMIT)}`,
    `(1 to ${ENTRY_ID_LENGTH} characters;`,
  ],
  ['docs/ai-sdk.md', `**Ids** have 1 to ${ENTRY_ID_LENGTH} characters`],
  ['docs/agents.md', `\`limits.entriesPerAppend\` items (${told(entriesPerAppend)})`],
  ['docs/workers.md', `0.001 to ${told(MAX_LEASE_SECONDS)}`],
];

describe('the limits in the documents', () => {
  test.for(claims)('of %s match the code', ([path, ...all]) => {
    const text = flat(documentOf(path).text);
    expect(all.filter((claim) => !text.includes(claim))).toEqual([]);
  });
});
