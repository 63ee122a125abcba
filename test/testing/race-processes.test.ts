import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { joinRace, raceProcesses } from '../../src/testing/index.js';
import { built } from '../support/built.js';
import { moreIfLong } from '../support/continuous-integration.js';
import {
  type DatabaseKind,
  databases,
  describeDatabases,
  newDatabase,
} from '../support/databases.js';
import { openFileStore } from '../support/file-store.js';
import { runNode } from '../support/run.js';
import { withEntries } from './faulty-store.js';
import { memoryStoreWith } from './planted-bug.js';

/**
 * To a server, two processes are two connections, which the contract of each store races already. A
 * file is locked by its processes.
 */
const files = databases.filter(({ requirement }) => requirement === undefined);

const define = (kind: DatabaseKind) => {
  test('lose nothing, and the race leaves nothing', async () => {
    const database = await newDatabase(kind);
    const racer = await built('racer');
    const store = database.open();
    await raceProcesses(store, (ticket) =>
      runNode([racer, JSON.stringify(database.address), ticket], '.'),
    );
    const left = (await store.page('acme', { offset: 0, limit: 10 }))._unsafeUnwrap();
    expect(left.total).toBe(0);
  });
};

describeDatabases('two processes that race', define, moreIfLong(files, databases));

describe('a race of two processes finds out', () => {
  test('a store that reads all, changes it and writes it back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'colloquy-race-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const racer = await built('forgetful-racer');
    const file = join(folder, 'sessions.json');
    const race = raceProcesses(openFileStore(file), (ticket) =>
      runNode([racer, file, ticket], '.'),
    );
    await expect(race).rejects.toThrow(
      /^the (number of stored appends|appends|sequence|revision) /,
    );
  });

  test('an append that nobody stored', async () => {
    const store = new MemorySessionStore();
    const lossy = memoryStoreWith(() => ({
      begin: (commit) => store.begin(commit),
      findState: (key) => store.findState(key),
      put: (commit) => store.change(commit),
      use: (commit) =>
        store.change(
          withEntries(commit, (entries) => entries.filter(({ content }) => content !== '1 7')),
        ),
    }));
    const message = 'the number of stored appends of process 1 is 200 where 201 was expected';
    await expect(raceProcesses(store, (ticket) => joinRace(lossy, ticket))).rejects.toThrow(
      message,
    );
  });

  test('two replacements of one revision', async () => {
    const store = new MemorySessionStore();
    const careless = memoryStoreWith(() => ({
      begin: (commit) => store.begin(commit),
      findState: (key) => store.findState(key),
      use: (commit) => store.change(commit),
      put: async (commit) => {
        const done = await store.change(commit);
        return done.map(() => ({ outcome: 'made', position: 0 }));
      },
    }));
    const race = raceProcesses(store, (ticket) => joinRace(careless, ticket));
    await expect(race).rejects.toThrow(
      /^the revision after 400 replacements is \d+ where 401 was expected$/,
    );
  });

  test('a process that does not come', async () => {
    const race = raceProcesses(new MemorySessionStore(), async () => undefined);
    await expect(race).rejects.toThrow(
      'the number of stored appends of process 1 is 0 where 201 was expected',
    );
  });
});
