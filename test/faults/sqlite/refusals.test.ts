import { describe, expect, onTestFinished, test } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { makeFailingFsync } from '../../support/failing-fsync.js';
import { type Requirement, reasonToSkip, requirements } from '../../support/requirements.js';
import { openSmallDisk } from '../../support/small-disk.js';
import { openLibsql } from '../../support/sqlite-file.js';
import type { SqliteDatabase } from '../databases/database.js';
import { Hosts } from '../databases/hosts.js';
import { expectTruth } from '../databases/verdict.js';
import { effort, seeds } from '../support/effort.js';
import { makeFile } from './make-file.js';
import { unsoundIn } from './soundness.js';

const ROUNDS = effort(1, 12);
const CALLS = effort(100, 1000);
const REFUSALS = effort(8, 100);
const PROMISE = 'SQLite: answers are true, whatever fails';

/** A file whose writers can be made to fail, and to go on. */
interface Fault {
  readonly database: SqliteDatabase;
  readonly begin: () => void;
  readonly end: () => void;
  readonly env?: Readonly<Record<string, string>>;
}

/** Another program holds the lock of writers for longer than anybody waits. */
const locked = (): Fault => {
  const { database, file } = makeFile({ busyTimeoutMs: 20 });
  const other = openLibsql(file);
  onTestFinished(() => void other.close());
  return { database, begin: () => void other.exec('BEGIN IMMEDIATE'), end: () => void other.exec('COMMIT') };
};

const fullDisk = (): Fault => {
  const disk = openSmallDisk(32);
  onTestFinished(disk.close);
  const { database } = makeFile({}, disk.folder);
  return { database, begin: disk.fill, end: disk.free };
};

/** The disk says that it could not keep what it was given. */
const failedFsync = (): Fault => {
  const { database } = makeFile({ synchronous: 'FULL' });
  const failing = makeFailingFsync();
  onTestFinished(failing.close);
  return { database, begin: failing.begin, end: failing.end, env: failing.env };
};

const cases: readonly { name: string; open: () => Fault; needs?: Requirement; refused: 'not_applied' | 'unknown' }[] = [
  { name: 'another program locks the file', open: locked, refused: 'not_applied' },
  { name: 'a full disk', open: fullDisk, needs: requirements.smallDisk, refused: 'unknown' },
  { name: 'a failed fsync', open: failedFsync, needs: requirements.failingFsync, refused: 'unknown' },
];

describe('hosts that write to one SQLite file while it refuses again and again', () => {
  for (const { name, open, needs, refused } of cases) {
    if (needs !== undefined && !needs.isMet()) {
      test.skip(`${name}, ${reasonToSkip(needs)}`);
      continue;
    }
    test(
      `${name}: nothing acknowledged is lost, nothing is doubled, no answer is false`,
      async () => {
        const [seed = 1] = seeds(1);
        const { database, begin, end, env = {} } = open();
        const hosts = new Hosts(database, { writers: 4, seed, env });
        onTestFinished(() => hosts.killAll());
        hosts.start(effort(1, 3));
        for (const _ of upTo(ROUNDS)) {
          await hosts.calls(CALLS);
          begin();
          await hosts.refusals(REFUSALS);
          end();
        }
        await hosts.calls(CALLS);
        const topic = { promise: PROMISE, fault: name };
        const answers = await expectTruth(topic, database, hosts, () => unsoundIn(database.file));
        expect(answers.ok).toBeGreaterThan(ROUNDS * CALLS * 0.5);
        expect(answers[refused]).toBeGreaterThan(0);
      },
      effort(60_000, 900_000),
    );
  }
});
