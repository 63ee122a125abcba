import { writeSync } from 'node:fs';
import { SessionService } from '../../../src/index.js';
import { openDatabase } from '../../faults/databases/database.js';
import { LedgerWriter } from '../../faults/databases/ledger-writer.js';
import { randomFrom } from '../random.js';

/**
 * `database-host.ts DATABASE WRITERS NAME SEED`: a host whose writers write until its input ends.
 * Each prints its requests and results as lines of JSON, so that they survive a kill.
 */
const [database = '', writers = '', name = '', seed = ''] = process.argv.slice(2);

const { store, close } = openDatabase(JSON.parse(database));
const sessions = new SessionService({ store });

const isFull = (cause: unknown) =>
  cause instanceof Error && 'code' in cause && cause.code === 'EAGAIN';

/** Writes synchronously, so that a kill loses no line; waits while the reader is busy. */
const say = (said: unknown): void => {
  let left = Buffer.from(`${JSON.stringify(said)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (cause) {
      if (!isFull(cause)) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
};

let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

const working = Array.from({ length: Number(writers) }, (_, at) => {
  const random = randomFrom(Number(seed) * 1000 + at);
  return new LedgerWriter(sessions, `tenant ${at % 2}`, `${name}.${at}`, random, say);
});

void Promise.all(working.map((writer) => writer.write(() => isOver))).then(close);
