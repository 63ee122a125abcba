import { beforeAll, expect, test } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/index.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';
import { rewindTo } from '../support/rewind-to.js';
import { okOf, startedIn } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

let colloquy: CommandLine;
beforeAll(async () => {
  colloquy = await buildCommandLine();
});

const user = (content: string) => [{ role: 'user', content }];

test('inspect --follow shows the session again after a rewind, and continues', async () => {
  const { file, remove } = sqliteFile();
  const database = openLibsql(file);
  try {
    const store = new SqliteSessionStore({ database, events: true });
    (await store.migrate())._unsafeUnwrap();
    const sessions = new SessionService({ store });
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, user('question')));
    const inspect = ['inspect', id, '--follow', '--sqlite', file];
    const texts = await colloquy.start(inspect, /question/);
    const lines = await colloquy.start([...inspect, '--json'], /snapshot/);
    await okOf(sessions.append(id, user('first answer')));
    await Promise.all([texts.shown(/first answer/), lines.shown(/first answer/)]);
    await okOf(rewindTo(sessions, id, position, user('second answer')));
    await Promise.all([texts.shown(/second answer/), lines.shown(/second answer/)]);
    await okOf(sessions.append(id, user('afresh')));
    await Promise.all([texts.shown(/afresh/), lines.shown(/afresh/)]);
    await okOf(sessions.fail(id));
    const [text, json] = await Promise.all([texts.end(), lines.end()]);
    expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
    const [, again = ''] = text.stdout.split(/first answer\n/);
    expect(again).toMatch(
      /^ID {8}[\s\S]*question\n[\s\S]*second answer\n[\s\S]*afresh\n.*terminated, failed\n$/,
    );
    const changes: readonly unknown[] = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(changes).toMatchObject([
      { type: 'session.snapshot' },
      { type: 'session.changed', entries: [{ content: 'first answer' }] },
      {
        type: 'session.snapshot',
        session: { history: [{ content: 'question' }, { content: 'second answer' }] },
      },
      { type: 'session.changed', entries: [{ content: 'afresh' }] },
      { type: 'session.changed', session: { status: 'TERMINATED' } },
    ]);
  } finally {
    database.close();
    remove();
  }
});
