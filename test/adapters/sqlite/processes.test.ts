import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf } from '../../../src/testing/commits.js';
import { operationOf } from '../../../src/testing/samples.js';
import { built } from '../../support/built.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';

const worker = await built('sqlite-writer');
const key = { tenant: 'acme', id: 'one' };

const startWriter = (file: string, name: string, count = ''): ChildProcess =>
  spawn(process.execPath, [worker, file, name, count], { stdio: ['ignore', 'pipe', 'inherit'] });

/**
 * The position of each append that the writer said was acknowledged. `onLine` gets how many there
 * are.
 */
const acknowledged = async (
  writer: ChildProcess,
  onLine: (count: number) => void = () => undefined,
): Promise<ReadonlyMap<number, number>> => {
  const positions = new Map<number, number>();
  if (writer.stdout === null) throw new Error('the writer has no output');
  for await (const line of createInterface({ input: writer.stdout })) {
    const [number = 0, position = 0] = line.split(' ').map(Number);
    positions.set(number, position);
    onLine(positions.size);
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, 'exit');
  return positions;
};

describe('several processes on one SQLite file', () => {
  let file: string;
  let remove: () => void;
  beforeEach(() => {
    ({ file, remove } = sqliteFile());
  });
  afterEach(() => remove());

  const historyOf = (name: string) => {
    const database = openLibsql(file);
    const record = new SqliteSessionStore({ database }).find(key)._unsafeUnwrap();
    database.close();
    const contents = record?.history.map(({ content }) => content) ?? [];
    return {
      contents,
      own: contents.filter((text) => text.startsWith(`${name}-`)),
      sequence: record?.sequence,
    };
  };

  it('create the tables once if four start concurrently, and store each append once', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const all = await Promise.all(names.map((name) => acknowledged(startWriter(file, name, '40'))));
    const { contents, sequence } = historyOf('');
    expect(contents).toHaveLength(160);
    expect(sequence).toBe(161);
    for (const [at, positions] of all.entries()) {
      expect(positions.size).toBe(40);
      for (const [number, position] of positions)
        expect(contents[position - 1]).toBe(`${names[at]}-${number}`);
    }
  });

  it('lose and duplicate no acknowledged append if a writer is killed with SIGKILL', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const writer = startWriter(file, name);
      const positions = await acknowledged(writer, (count) => {
        if (count === 30) writer.kill('SIGKILL');
      });
      const { contents, own, sequence } = historyOf(name);
      for (const [number, position] of positions)
        expect(contents[position - 1]).toBe(`${name}-${number}`);
      // At most the one whose answer did not arrive.
      expect(own.length - positions.size).toBeOneOf([0, 1]);
      expect(own).toEqual(own.map((_, at) => `${name}-${at + 1}`));
      expect(sequence).toBe(contents.length + 1);
      const database = openLibsql(file);
      const text = `${name}-${positions.size + 1}`;
      await answerOf(
        new SqliteSessionStore({ database }).change(
          appendOf(key, [text], {
            operation: operationOf(text),
          }),
        ),
      );
      database.close();
      expect(historyOf(name).own, 'after the open append was repeated').toHaveLength(
        positions.size + 1,
      );
    }
  });
});
