import { expect, onTestFinished, test } from 'vitest';
import { randomFrom } from '../../support/random.js';
import { expectToBearClockJumps } from '../databases/clock-jumps.js';
import { openDatabase } from '../databases/database.js';
import { effort, seeds } from '../support/effort.js';
import { makeFile } from './make-file.js';
import { unsoundIn } from './soundness.js';

test('clock jumps on the hosts of one SQLite file cause no missing and no repeated report, and leave nothing due forever', async () => {
  const [seed = 1] = seeds(1);
  const { database, file } = await makeFile({}, undefined, true);
  const open = () => {
    const { store, close } = openDatabase(database);
    onTestFinished(() => void close());
    return store;
  };
  const promise = 'SQLite: answers are true, whatever fails';
  await expectToBearClockJumps(promise, [open(), open()], randomFrom(seed), effort(200, 5000));
  expect(unsoundIn(file)).toEqual([]);
});
