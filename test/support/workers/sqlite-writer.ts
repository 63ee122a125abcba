import { writeSync } from 'node:fs';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { asTodaysStore } from '../../../src/testing/as-todays-store.js';
import { headOf, live, NOON, operationOf, say } from '../../../src/testing/samples.js';
import { openLibsql } from '../sqlite-file.js';

/**
 * Makes the tables and a session if they are missing, and appends `count` entries to its history,
 * or without end. Says a line for each acknowledged append: its number, and the position in the
 * history.
 */
const [file = '', name = '', count = ''] = process.argv.slice(2);

const store = new SqliteSessionStore({ database: openLibsql(file), events: true });
const write = async () => {
  (await store.migrate())._unsafeUnwrap();
  (await asTodaysStore(store).insert('acme', headOf('one'), live('ACTIVE')))._unsafeUnwrap();

  for (let number = 1; count === '' || number <= Number(count); number += 1) {
    const text = `${name}-${number}`;
    const appended = await asTodaysStore(store).append(
      { tenant: 'acme', id: 'one' },
      { entries: [say(text)], now: NOON, operation: operationOf(text) },
    );
    const answer = appended._unsafeUnwrap();
    if (answer.outcome !== 'appended') throw new Error(`append answered ${answer.outcome}`);
    writeSync(1, `${number} ${answer.position}\n`);
  }
};

void write();
