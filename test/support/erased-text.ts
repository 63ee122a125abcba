import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { SessionService, unwrap } from '../../src/index.js';
import { planReplace } from '../../src/plan/replace.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { rewindTo } from './rewind-to.js';

/** A string that is unique and that no database compresses. */
export const uniqueText = (): string => `secret${randomBytes(12).toString('hex')}`;

const saying = (text: string) => ({
  role: 'user',
  content: `I am ${text}.`,
  id: `m-${text}`,
  data: { name: text },
});

/** Two entries: one contains the text in all of its fields, the other in a long content. */
export const entriesWith = (text: string) => [
  { role: 'user', content: 'hello' },
  saying(text),
  { role: 'assistant', content: `${'a long answer '.repeat(300)}${text}` },
];

const describe = async (store: SessionStore, id: string, text: string): Promise<void> => {
  const key = { tenant: 'default', id };
  const state = (await store.findState(key))._unsafeUnwrap();
  if (state === undefined) throw new Error('there is no such session');
  const next = { ...state, revision: state.revision + 1, metadata: { name: text } };
  const commit = planReplace(key, { previous: state, state: next, now: 0 });
  expect((await store.change(commit))._unsafeUnwrap().outcome).toBe('made');
};

/**
 * Appends the text to three sessions, and returns what erases it: `redact`, `redact` after a
 * rewind, and `delete`.
 */
export const sayEverywhere = async (store: SessionStore, text: string) => {
  const sessions = new SessionService({ store, gracePeriod: 60 });
  const begin = async () =>
    (
      await unwrap(
        sessions.create({ face: 'ada', profile: 'tutor', start: true, entries: entriesWith(text) }),
      )
    ).id;
  const positionsOf = async (id: string) =>
    (await unwrap(sessions.history(id, { after: 0 }))).entries.map(({ position }) => position);
  const [redacted, rewound, deleted] = [await begin(), await begin(), await begin()];
  // A fork has a copy of its own.
  const forked = (
    await unwrap(sessions.create({ face: 'ada', profile: 'tutor', from: { id: redacted } }))
  ).id;
  for (const id of [redacted, rewound, deleted]) {
    await unwrap(sessions.append(id, [saying(text)], { operationId: 'once' }));
  }
  await describe(store, deleted, text);
  const superseded = await positionsOf(rewound);
  const [first = 0] = superseded;
  await unwrap(rewindTo(sessions, rewound, first, [{ role: 'user', content: 'another' }]));
  await unwrap(sessions.terminate(redacted));
  await unwrap(sessions.append(redacted, [saying(text)]));
  return async () => {
    await unwrap(sessions.redact(redacted, await positionsOf(redacted)));
    await unwrap(sessions.redact(forked, await positionsOf(forked)));
    await unwrap(sessions.redact(rewound, superseded));
    await unwrap(sessions.delete(deleted));
  };
};

/** Uses the text as a label, its value and a lease holder, and deletes the session. */
export const labelAndDelete = async (store: SessionStore, text: string): Promise<void> => {
  const sessions = new SessionService({ store });
  const { id } = await unwrap(sessions.create({ start: true }));
  await unwrap(sessions.update(id, { labels: { [`label-${text}`]: `value-${text}` } }));
  await unwrap(sessions.lease(id, { holder: `holder-${text}`, seconds: 60 }));
  await unwrap(sessions.delete(id));
};

export const hitsInFile = (file: string, text: string): number =>
  existsSync(file) ? readFileSync(file).toString('latin1').split(text).length - 1 : 0;

/** Counts a text in the files of a folder whose names match. */
export const hitsIn = (folder: string, text: string, names: RegExp): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => hitsInFile(join(entry.parentPath, entry.name), text))
    .reduce((sum, hits) => sum + hits, 0);
