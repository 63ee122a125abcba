import { describe, expect, test } from 'vitest';
import { commandOperations } from '../../src/operations/command-operations.js';
import { type AnyOperation, wireNamesOf } from '../../src/operations/operation.js';
import { historyOperations, sessionOperations } from '../../src/operations/session-operations.js';
import {
  DEFAULT_PAGE_LIMIT,
  defaultLimits,
  HISTORY_LIMIT,
  MAX_LABELS,
  MAX_LEASE_SECONDS,
  OPERATION_ID_LENGTH,
  PAGE_LIMIT,
  SEARCH_LIMIT,
} from '../../src/session/session-limits.js';
import { documentOf } from './documents.js';

const KIB = 1024;
const DAY_SECONDS = 24 * 60 * 60;
const { timeLimit, textBytes, contentBytes, metadataBytes, entriesPerAppend, pageBytes } =
  defaultLimits;

/** A number as the documents write it. */
const told = (number: number): string => number.toLocaleString('en-US');

const flat = (text: string): string => text.replace(/\s+/g, ' ');

const claims: readonly (readonly [document: string, ...claims: readonly string[]])[] = [
  [
    'docs/embedding.md',
    `// Default: at most ${timeLimit / DAY_SECONDS} days`,
    `// default: ${textBytes / KIB} KiB`,
    `// default: ${contentBytes / KIB} KiB`,
    `// default: ${metadataBytes / KIB} KiB`,
    `// default: ${entriesPerAppend};`,
    `// default: ${pageBytes / KIB / KIB} MiB`,
  ],
  ['docs/time-limits.md', `at most ${timeLimit / DAY_SECONDS} days`],
  [
    'docs/lists.md',
    `\`limit\` is ${DEFAULT_PAGE_LIMIT} by default and at most ${PAGE_LIMIT}`,
    `a maximum of ${told(HISTORY_LIMIT)}`,
    `at most ${MAX_LABELS} labels`,
    `more than ${told(SEARCH_LIMIT)}`,
  ],
  [
    'docs/http.md',
    `A list has ${DEFAULT_PAGE_LIMIT} sessions`,
    `above ${PAGE_LIMIT} it counts as ${PAGE_LIMIT}`,
  ],
  ['docs/leases.md', `0.001 to ${told(MAX_LEASE_SECONDS)}`],
  ['docs/concepts.md', `(1 to ${OPERATION_ID_LENGTH} of`],
];

describe('the limits in the documents', () => {
  test.for(claims)('of %s are those of the code', ([path, ...all]) => {
    const text = flat(documentOf(path).text);
    expect(all.filter((claim) => !text.includes(claim))).toEqual([]);
  });
});

describe('the HTTP interface in the documents', () => {
  const operations: readonly AnyOperation[] = [
    ...sessionOperations,
    ...commandOperations,
    ...historyOperations,
  ];

  test.for(operations)('has $path, its parameters, fields and headers', (operation) => {
    const { text } = documentOf(
      operation.tag === 'Work' ? 'docs/workers-over-http.md' : 'docs/http.md',
    );
    const names = [operation.path, ...wireNamesOf(operation).values()];
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });
});
