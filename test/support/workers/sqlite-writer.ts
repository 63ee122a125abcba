import { writeSync } from 'node:fs';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { append, tryBegin } from '../../../src/testing/commits.js';
import { keyOf, operationOf } from '../../../src/testing/samples.js';
import { openLibsql } from '../sqlite-file.js';

/**
 * Creates the tables and a session if they are missing, and appends `count` entries, or without
 * end. Prints a line for each acknowledged append: its number, and its position in the history.
 */
const [file = '', name = '', count = ''] = process.argv.slice(2);

const store = new SqliteSessionStore({ database: openLibsql(file), events: true });
const key = keyOf('one');

const write = async () => {
  (await store.migrate())._unsafeUnwrap();
  await tryBegin(store, key);

  for (let number = 1; count === '' || number <= Number(count); number += 1) {
    const text = `${name}-${number}`;
    const position = await append(store, key, [text], { operation: operationOf(text) });
    writeSync(1, `${number} ${position}\n`);
  }
};

void write();
