import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type SqliteDatabase, SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { planRemove } from '../../../src/plan/remove.js';
import type { StoreError } from '../../../src/session/errors.js';
import type { Answer, SessionKey } from '../../../src/store/session-store.js';
import { appendOf, begin, beginOf } from '../../../src/testing/commits.js';
import { keyOf, NOON, operationOf, say, upTo } from '../../../src/testing/samples.js';
import { reasonToSkip } from '../../support/requirements.js';
import { sqliteDrivers } from '../../support/sqlite-drivers.js';
import { sqliteFile } from '../../support/sqlite-file.js';

const saying = (key: SessionKey, text: string) =>
  appendOf(key, [text], { operation: operationOf(text) });
const made = { outcome: 'made' };
const appended = { ...made, position: 1 };
const unavailable = (outcome: string) =>
  expect.objectContaining({ type: 'store_unavailable', outcome });
const commit = ['BEGIN IMMEDIATE', 'COMMIT'];
const undo = ['BEGIN IMMEDIATE', 'ROLLBACK'];

/** What the driver does instead of a command, or before a statement runs with these values. */
interface Faults {
  command?: (sql: string, exec: () => void) => void;
  statement?: (values: readonly unknown[]) => void;
}

const intercepted = (database: SqliteDatabase) => {
  const commands: string[] = [];
  const faults: Faults = {};
  const connection: SqliteDatabase = {
    exec: (sql) => {
      commands.push(sql);
      const exec = () => void database.exec(sql);
      if (faults.command === undefined) exec();
      else faults.command(sql, exec);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      return {
        all: (...values) => statement.all(...values),
        get: (...values) => statement.get(...values),
        run: (...values) => {
          faults.statement?.(values);
          return statement.run(...values);
        },
      };
    },
  };
  return { commands, faults, connection };
};

/* The store binds the texts of entries, which are JSON, as a JSON array. */
const textIn = (values: readonly unknown[]) => values.map(String).join(' ').replaceAll('\\"', '"');

describe.each(sqliteDrivers)('concurrent SQLite writes, on $name', ({ open, needs }) => {
  if (needs !== undefined && !needs.isMet()) {
    test.skip(reasonToSkip(needs));
    return;
  }
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A store with ACTIVE sessions of these ids, and the commands that it has sent since. */
  const opened = async (...ids: readonly string[]) => {
    const { file, remove } = sqliteFile();
    const database = open(file);
    let isOpen = true;
    const close = () => {
      if (isOpen) database.close();
      isOpen = false;
    };
    onTestFinished(() => {
      close();
      remove();
    });
    const { commands, faults, connection } = intercepted(database);
    const store = new SqliteSessionStore({ database: connection, events: true });
    (await store.migrate())._unsafeUnwrap();
    for (const id of ids) await begin(store, keyOf(id));
    commands.length = 0;
    /** Appends its id to each session concurrently. */
    const appendToAll = async () => {
      const results = await Promise.all(ids.map((id) => store.change(saying(keyOf(id), id))));
      return results.map((result) => (result.isOk() ? result.value : result.error));
    };
    const textsOf = (id: string) =>
      store
        .find(keyOf(id))
        ._unsafeUnwrap()
        ?.history.map(({ content }) => content);
    return { file, database, store, commands, faults, appendToAll, textsOf, close };
  };

  test('share one commit, whatever they are', async () => {
    const { store, commands, textsOf } = await opened('one', 'two', 'three');
    const results = await Promise.all([
      store.begin(beginOf(keyOf('four'))),
      store.change(saying(keyOf('one'), 'hello')),
      store.change(saying(keyOf('two'), 'hi')),
      store.remove(planRemove(keyOf('three'), NOON)),
      store.change(saying(keyOf('nobody'), 'hey')),
    ]);
    expect(results.map((result) => result._unsafeUnwrap())).toEqual([
      made,
      appended,
      appended,
      made,
      { outcome: 'refused', guard: 'present' },
    ]);
    expect(commands).toEqual(commit);
    expect([textsOf('one'), textsOf('two')]).toEqual([['hello'], ['hi']]);
  });

  test('leave a single call alone: it is sent immediately, without a timer', async () => {
    const { store, commands } = await opened('one');
    vi.useFakeTimers();
    const append = store.change(saying(keyOf('one'), 'hello'));
    await nextTurn();
    expect(commands).toEqual(commit);
    expect(vi.getTimerCount()).toBe(0);
    expect((await append)._unsafeUnwrap()).toEqual(appended);
  });

  test('are stored even if one of them is to an unreadable session', async () => {
    const { database, commands, appendToAll, textsOf } = await opened(
      'one',
      'bad',
      'three',
      'four',
    );
    database.exec(`UPDATE colloquy_sessions SET state = '{}' WHERE id = 'bad'`);
    expect(await appendToAll()).toEqual([
      appended,
      expect.objectContaining({ type: 'corrupt_record', id: 'bad' }),
      appended,
      appended,
    ]);
    expect(commands).toEqual([...undo, ...commit, ...undo, ...commit]);
    expect(['one', 'three', 'four'].map(textsOf)).toEqual([['one'], ['three'], ['four']]);
  });

  test('are stored exactly once each even if the statements of some fail', async () => {
    const { store, faults, appendToAll, textsOf } = await opened(
      'bad 1',
      'one',
      'bad 2',
      'bad 3',
      'two',
    );
    faults.statement = (values) => {
      if (textIn(values).includes('"content":"bad')) throw new Error('from the driver');
    };
    const refused = unavailable('not_applied');
    expect(await appendToAll()).toEqual([refused, appended, refused, refused, appended]);
    faults.statement = () => undefined;
    expect(['one', 'bad 2', 'two'].map(textsOf)).toEqual([['one'], [], ['two']]);
    expect(store.find(keyOf('two'))._unsafeUnwrap()?.sequence).toBe(2);
    expect(store.events?.read('', '0', 100)._unsafeUnwrap().events).toHaveLength(5 + 2);
  });

  test('are stored even if one of them finds no room in the file', async () => {
    const { store, database, textsOf } = await opened('one', 'large', 'three');
    const [pages] = Object.values(Object(database.prepare('PRAGMA page_count').get()));
    database.exec(`PRAGMA max_page_count = ${Number(pages) + 20}`);
    const texts = ['small', 'x'.repeat(500_000), 'small too'];
    const results = await Promise.all(
      ['one', 'large', 'three'].map((id, at) => store.change(saying(keyOf(id), texts[at] ?? ''))),
    );
    expect(results.map((result) => result.isOk())).toEqual([true, false, true]);
    expect(results[1]?._unsafeUnwrapErr()).toEqual(unavailable('not_applied'));
    expect(['one', 'large', 'three'].map(textsOf)).toEqual([['small'], [], ['small too']]);
  });

  test('are each unknown if the reply to COMMIT is lost, and recognised when repeated', async () => {
    const { faults, appendToAll, textsOf } = await opened('one', 'two', 'three');
    faults.command = (sql, exec) => {
      exec();
      if (sql === 'COMMIT') throw new Error('disk I/O error');
    };
    expect(await appendToAll()).toEqual(Array(3).fill(unavailable('unknown')));
    faults.command = (_sql, exec) => exec();
    expect(await appendToAll()).toEqual(Array(3).fill({ ...appended, outcome: 'repeated' }));
    expect(['one', 'two', 'three'].map(textsOf)).toEqual([['one'], ['two'], ['three']]);
  });

  test('wait once for a locked file, and all fail with not_applied', async () => {
    const { file, database, commands, appendToAll, textsOf } = await opened('one', 'two', 'three');
    database.exec('PRAGMA busy_timeout = 0');
    const other = open(file);
    other.exec('BEGIN IMMEDIATE');
    const locked = { message: expect.stringContaining('locked'), outcome: 'not_applied' };
    expect(await appendToAll()).toMatchObject([locked, locked, locked]);
    expect(commands).toEqual(['BEGIN IMMEDIATE']);
    other.exec('ROLLBACK');
    other.close();
    expect(await appendToAll()).toEqual([appended, appended, appended]);
    expect(textsOf('three')).toEqual(['three']);
  });

  test.each(['COMMIT', 'a statement'])('wait once if %s finds the file locked', async (where) => {
    const { commands, faults, appendToAll, textsOf } = await opened('one', 'two', 'three');
    const busy = () => {
      throw Object.assign(new Error('from the driver'), { code: 'SQLITE_BUSY' });
    };
    faults.command = (sql, exec) => (sql === where ? busy() : exec());
    faults.statement = (values) => {
      if (where === 'a statement' && textIn(values).includes('"content":"two"')) busy();
    };
    expect(await appendToAll()).toEqual(Array(3).fill(unavailable('not_applied')));
    expect(commands.filter((sql) => sql === 'BEGIN IMMEDIATE')).toHaveLength(1);
    faults.command = (_sql, exec) => exec();
    expect(['one', 'two', 'three'].map(textsOf)).toEqual([[], [], []]);
  });

  test.each(['throws', 'has an error'])(
    'are unknown if one %s and cannot be undone',
    async (fails) => {
      const { database, faults, appendToAll, textsOf } = await opened('one', 'bad', 'three');
      if (fails === 'has an error') {
        database.exec(`UPDATE colloquy_sessions SET state = '{}' WHERE id = 'bad'`);
      }
      faults.statement = (values) => {
        if (textIn(values).includes('"content":"bad')) throw new Error('from the driver');
      };
      faults.command = (sql, exec) => {
        if (sql === 'ROLLBACK') throw new Error('from the driver');
        exec();
      };
      expect(await appendToAll()).toEqual(Array(3).fill(unavailable('unknown')));
      faults.command = (_sql, exec) => exec();
      expect(['one', 'three'].map(textsOf), 'undone by the next call').toEqual([[], []]);
    },
  );

  test('all fail with not_applied if the host closes the connection before they are sent', async () => {
    const { appendToAll, close } = await opened('one', 'two');
    const results = appendToAll();
    close();
    expect(await results).toEqual(Array(2).fill(unavailable('not_applied')));
  });

  test('share a commit up to 64 calls, and other work runs before the next commit', async () => {
    const { store, faults } = await opened();
    const order: string[] = [];
    faults.command = (sql, exec) => {
      exec();
      if (sql !== 'COMMIT') return;
      order.push(sql);
      setImmediate(() => order.push('other work'));
    };
    const results = await Promise.all(upTo(150).map((at) => store.begin(beginOf(keyOf(`${at}`)))));
    expect(results.every((result) => result.isOk())).toBe(true);
    expect(order.slice(0, 5)).toEqual(['COMMIT', 'other work', 'COMMIT', 'other work', 'COMMIT']);
  });

  test.each(['appended', 'created with'])(
    'share a commit up to a mebibyte of text: %s',
    async (how) => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      const { store, commands } = await opened(...(how === 'appended' ? ids : []));
      const large = 'x'.repeat(400_000);
      const results = await Promise.all(
        ids.map((id): Answer<unknown, StoreError> => {
          if (how === 'appended') return store.change(appendOf(keyOf(id), [large]));
          return store.begin(beginOf(keyOf(id), { entries: [say(large)] }));
        }),
      );
      expect(results.every((result) => result.isOk())).toBe(true);
      expect(commands).toEqual([...commit, ...commit, ...commit]);
    },
  );

  test('keep their order within a session', async () => {
    const { store, faults, textsOf } = await opened('one', 'bad');
    faults.statement = (values) => {
      if (textIn(values).includes('"content":"bad')) throw new Error('from the driver');
    };
    const texts = upTo(100).map((at) => `text ${at}`);
    const results = await Promise.all(
      texts.flatMap((text, at) => {
        const append = store.change(saying(keyOf('one'), text));
        return at % 30 === 5 ? [append, store.change(saying(keyOf('bad'), `bad ${at}`))] : [append];
      }),
    );
    const positions = results.flatMap((result) => (result.isOk() ? [result.value] : []));
    expect(positions).toEqual(upTo(100).map((at) => ({ outcome: 'made', position: at + 1 })));
    expect(textsOf('one')).toEqual(texts);
  });
});
