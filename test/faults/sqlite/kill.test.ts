import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { randomFrom } from '../../support/random.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import { audit, nothingWrong, settle } from '../databases/audit.js';
import { openDatabase } from '../databases/database.js';
import { Hosts } from '../databases/hosts.js';
import { effort, record, seeds } from '../support/effort.js';
import { unsoundIn } from './soundness.js';

const KILLS = effort(3, 50);
const CALLS = effort(150, 1500);
const PROMISE = 'SQLite: acknowledged writes survive a crash of a host';

describe('hosts that write to one SQLite file and are killed', () => {
  let file: string;
  let remove: () => void;
  beforeEach(() => {
    ({ file, remove } = sqliteFile());
    const database = openLibsql(file);
    new SqliteSessionStore({ database }).migrate()._unsafeUnwrap();
    database.close();
  });
  afterEach(() => remove());

  test(
    'lose nothing that was acknowledged, double nothing, and leave a sound file with an event for each change',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const hosts = new Hosts({ kind: 'sqlite', file }, { writers: 4, seed });
      const unsound: string[] = [];
      try {
        hosts.start(3);
        for (const _ of upTo(KILLS)) {
          await hosts.calls(Math.round(CALLS * (0.5 + random())));
          hosts.start();
          await hosts.kill();
          unsound.push(...unsoundIn(file));
        }
        await hosts.calls(CALLS);
        const { answers, ledgers } = await hosts.end();
        const { store, close } = openDatabase({ kind: 'sqlite', file });
        const { sessions, ...wrong } = await audit(store, ledgers);
        const doubtful = ledgers.reduce((sum, ledger) => sum + ledger.doubtful.size, 0);
        const unsettled = await settle(store, ledgers);
        close();
        unsound.push(...unsoundIn(file));
        const tell = (figure: string, value: number, bar?: string) =>
          record({ promise: PROMISE, figure, value, ...(bar === undefined ? {} : { bar }) });
        tell('kills', KILLS);
        tell('acknowledged calls', answers.ok);
        tell('appends in doubt, repeated after it', doubtful);
        tell('sessions at the end', sessions);
        for (const [figure, cases] of Object.entries({ ...wrong, unsettled, unsound })) tell(figure, cases.length, '0');
        expect({ ...wrong, unsettled, unsound }).toEqual({ ...nothingWrong, unsettled: [], unsound: [] });
        expect(answers.ok).toBeGreaterThan(KILLS * CALLS * 0.5);
      } finally {
        await hosts.killAll();
      }
    },
    effort(60_000, 900_000),
  );
});
