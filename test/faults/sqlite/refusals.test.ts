import { describe, onTestFinished, test } from 'vitest';
import { makeFailingFsync } from '../../support/failing-fsync.js';
import { type Requirement, reasonToSkip, requirements } from '../../support/requirements.js';
import { openSmallDisk } from '../../support/small-disk.js';
import { openLibsql } from '../../support/sqlite-file.js';
import { expectTruthThrough, type Fault } from '../databases/fault-rounds.js';
import { effort } from '../support/effort.js';
import { makeFile } from './make-file.js';
import { unsoundIn } from './soundness.js';

const PROMISE = 'SQLite: answers are true, whatever fails';

/** Another program holds the lock of writers for longer than anybody waits. */
const locked = async (): Promise<Fault> => {
  const { database, file } = await makeFile({ busyTimeoutMs: 20 });
  const other = openLibsql(file);
  onTestFinished(() => void other.close());
  const [begin, end] = [() => other.exec('BEGIN IMMEDIATE'), () => other.exec('COMMIT')];
  return { database, begin, end, refused: ['not_applied'], unsoundIn: () => unsoundIn(file) };
};

const fullDisk = async (): Promise<Fault> => {
  const disk = openSmallDisk(32);
  onTestFinished(disk.close);
  const { database, file } = await makeFile({}, disk.folder);
  // COMMIT itself finds no room, and SQLite does not say what the log has kept of it.
  return {
    database,
    begin: disk.fill,
    end: disk.free,
    refused: ['unknown'],
    unsoundIn: () => unsoundIn(file),
  };
};

/** The disk says that it could not keep what it was given. */
const failedFsync = async (): Promise<Fault> => {
  const { database, file } = await makeFile({ synchronous: 'FULL' });
  const failing = makeFailingFsync();
  onTestFinished(failing.close);
  const { begin, end, env } = failing;
  return { database, begin, end, env, refused: ['unknown'], unsoundIn: () => unsoundIn(file) };
};

const cases: readonly {
  readonly name: string;
  readonly open: () => Promise<Fault>;
  readonly needs?: Requirement;
}[] = [
  { name: 'another program locks the file', open: locked },
  { name: 'a full disk', open: fullDisk, needs: requirements.smallDisk },
  { name: 'a failed fsync', open: failedFsync, needs: requirements.failingFsync },
];

describe('hosts that write to one SQLite file with recurring errors', () => {
  // A short run leaves out the lock: the tests of the store try it too.
  for (const { name, open, needs } of cases.slice(effort(1, 0))) {
    if (needs !== undefined && !needs.isMet()) {
      test.skip(`${name}, ${reasonToSkip(needs)}`);
      continue;
    }
    test(
      `${name}: lose and duplicate no acknowledged write, and answer truthfully`,
      async () => expectTruthThrough(PROMISE, name, await open()),
      effort(120_000, 900_000),
    );
  }
});
