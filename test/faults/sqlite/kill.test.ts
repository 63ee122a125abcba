import { describe, expect, onTestFinished, test } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { randomFrom } from '../../support/random.js';
import { openDatabase } from '../databases/database.js';
import { Hosts, tenants } from '../databases/hosts.js';
import { expectTruth } from '../databases/verdict.js';
import { Watchers } from '../databases/watchers.js';
import { effort, seeds } from '../support/effort.js';
import { makeFile } from './make-file.js';
import { unsoundIn } from './soundness.js';

const KILLS = effort(1, 50);
const CALLS = effort(80, 1500);
const PROMISE = 'SQLite: answers are true, whatever fails';

describe('killed hosts of one SQLite file', () => {
  test(
    'lose and duplicate no acknowledged write, and leave a sound file with an event for each change',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const { database, file } = await makeFile();
      const hosts = new Hosts(database, { writers: 4, seed });
      onTestFinished(() => hosts.killAll());
      const unsound: string[] = [];
      const watching = openDatabase(database);
      onTestFinished(() => void watching.close());
      const watchers = await Watchers.start(watching.store, tenants);
      hosts.start(effort(1, 3));
      for (const _ of upTo(KILLS)) {
        await hosts.calls(Math.round(CALLS * (0.5 + random())));
        hosts.start();
        await hosts.kill();
        unsound.push(...unsoundIn(file));
      }
      await hosts.calls(CALLS);
      const topic = { promise: PROMISE, fault: `${KILLS} kills of a host` };
      const answers = await expectTruth(
        topic,
        database,
        hosts,
        () => [...unsound, ...unsoundIn(file)],
        watchers,
      );
      expect(answers.ok).toBeGreaterThan(KILLS * CALLS * 0.5);
    },
    effort(120_000, 900_000),
  );
});
