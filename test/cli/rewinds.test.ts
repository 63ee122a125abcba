import { beforeAll, expect, test } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/index.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';
import { okOf, startedIn } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';

let colloquy: CommandLine;
beforeAll(async () => {
  colloquy = await buildCommandLine();
});

const user = (content: string) => [{ role: 'user', content }];

test('inspect --follow says that entries are superseded, shows what follows instead, and goes on', async () => {
  const { file, remove } = sqliteFile();
  const database = openLibsql(file);
  try {
    const store = new SqliteSessionStore({ database, events: true });
    store.migrate()._unsafeUnwrap();
    const sessions = new SessionService({ store });
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, user('question')));
    const inspect = ['inspect', id, '--follow', '--sqlite', file];
    const texts = await colloquy.start(inspect, /question/);
    const lines = await colloquy.start([...inspect, '--json'], /snapshot/);
    await okOf(sessions.append(id, user('first answer')));
    await okOf(sessions.append(id, user('second answer'), { after: position }));
    await okOf(sessions.append(id, [], { after: 0 }));
    await okOf(sessions.append(id, user('afresh')));
    await okOf(sessions.fail(id));
    const [text, json] = await Promise.all([texts.end(), lines.end()]);
    expect([text.exitCode, json.exitCode]).toEqual([0, 0]);
    const notices = text.stdout.split('\n').filter((line) => /Z {2}rewound/.test(line));
    expect(notices.map((line) => line.split('Z  ')[1])).toEqual([
      `rewound: the entries after position ${position} are superseded`,
      'rewound to the beginning: all entries so far are superseded',
    ]);
    expect(text.stdout).toMatch(/all entries so far are superseded\n.*Z {2}user\n {4}afresh\n.*terminated, failed\n$/);
    const changes: readonly Record<string, unknown>[] = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const appended = changes.filter(({ type }) => type === 'session.appended');
    expect(appended.map(({ after }) => after)).toEqual([undefined, position, 0, undefined]);
    expect(appended.slice(2)).toMatchObject([{ entries: [] }, { entries: [{ content: 'afresh' }] }]);
  } finally {
    database.close();
    remove();
  }
});
