import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../../test/support/redis-server.js';
import { ENGINE, instructionsOf } from '../../fair-figures.js';
import type { Call } from '../../harness/measure.js';
import { redis } from '../stores/redis.js';
import type { Count, Suite } from '../suite.js';
import { appends, type Compared, creates } from './calls.js';
import { prepare } from './fair.js';

const SESSIONS = 64;
const CALLS = 320;
/** As many as the engine sends in one script at most. */
const GROUP = 16;

const hasValgrind = (): boolean => spawnSync('valgrind', ['--version']).status === 0;

const control = (pid: number, action: string): unknown =>
  execFileSync('callgrind_control', [action, String(pid)], { stdio: 'pipe' });

/** The instructions of the newest dump in a folder. */
const dumped = (dir: string): number => {
  const numberOf = (name: string): number => Number(name.split('.').at(-1));
  const dumps = readdirSync(dir).filter((name) => /^calls\.out\.\d+$/.test(name));
  const [newest = ''] = dumps.toSorted((a, b) => numberOf(b) - numberOf(a));
  return Number(/^(?:summary|totals): (\d+)/m.exec(readFileSync(join(dir, newest), 'utf8'))?.[1]);
};

const makeCalls = async (call: () => Call, callers: number, count: number): Promise<void> => {
  const caller = async (): Promise<void> => {
    for (let left = count / callers; left > 0; left -= 1) await call();
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

const writesOf = (compared: Compared) =>
  Object.entries({
    append: appends(compared, false),
    'append with an operationId': appends(compared, true),
    create: creates(compared),
  });

/** A Redis under callgrind. */
const openCounted = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'colloquy-callgrind-'));
  const out = `--callgrind-out-file=${dir}/calls.out`;
  const server = await startRedis({ within: ['valgrind', '--quiet', '--tool=callgrind', out] });
  const database = await redis.open({ sync: 'never', address: server.url });
  return {
    database,
    /** Thousands of instructions of a call. */
    count: async (call: () => Call, callers: number): Promise<number> => {
      await makeCalls(call, callers, 2 * GROUP);
      control(server.pid, '--zero');
      await makeCalls(call, callers, CALLS);
      control(server.pid, '--dump');
      return dumped(dir) / CALLS / 1000;
    },
    close: async (): Promise<void> => {
      await database.close();
      await server.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

const unit = 'thousand a call';

/** What callgrind counts in a Redis server; nothing where there is none. */
const counts: Suite['counts'] = async (): Promise<readonly Count[]> => {
  if (!hasValgrind()) return [];
  const { database, count, close } = await openCounted();
  const found: Count[] = [];
  try {
    for (const events of [true, false]) {
      const compared = await prepare(redis.name, database, SESSIONS, { isRead: false, events });
      for (const [operation, subjects] of writesOf(compared)) {
        for (const { name, call } of subjects.filter(
          (subject) => events || subject.name === ENGINE,
        )) {
          const subject = events ? name : `${name} without events`;
          for (const callers of [1, GROUP]) {
            const figure = instructionsOf(operation, subject, callers);
            found.push({ figure, value: await count(call, callers), unit });
          }
        }
      }
      compared.fair?.close();
    }
    return found;
  } finally {
    await close();
  }
};

export const instructions: Suite = { name: 'fair-instructions', counts };
