import { writeSync } from 'node:fs';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { type Asked, BUDGET, carryOut, isNamed } from '../../faults/budgets/spending.js';
import { randomFrom } from '../random.js';
import { ada } from '../sessions.js';
import { openShared } from '../shared-store.js';

/**
 * `spender.ts DATABASE IDS WRITERS NAME SEED`: writers that spend in shared sessions, and each in
 * its own, until the input ends. Prints their requests and results as lines of JSON, so that they
 * survive a kill.
 */
const [database = '', ids = '', writers = '', name = '', seed = ''] = process.argv.slice(2);

const { store, close } = openShared(JSON.parse(database));
const sessions = new SessionService({ store });
const shared: readonly string[] = JSON.parse(ids);
const say = (said: unknown): void => void writeSync(1, `${JSON.stringify(said)}\n`);
/** Yields, because an immediate answer would block other writers. */
const yieldTurn = () => new Promise((resolve) => setImmediate(resolve));

let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

/** Creates a writer's own session; undefined if the time is over. */
const created = async (by: string): Promise<string | undefined> => {
  while (!isOver) {
    const input = { ...ada, start: true, idempotencyKey: by, budget: BUDGET };
    const answer = await sessions.create(input);
    if (answer.isOk()) return answer.value.id;
    await yieldTurn();
  }
  return undefined;
};

/** The next request of a writer; undefined if its history cannot be read. */
const next = async (asked: Omit<Asked, 'kind' | 'id'>, own: string, random: () => number) => {
  const id = shared[Math.floor(random() * shared.length)] ?? own;
  const dice = random();
  if (dice < 0.15) return { ...asked, id, kind: 'spend' } as const;
  if (dice < 0.4) return { ...asked, id, kind: 'named spend' } as const;
  if (dice < 0.6) return { ...asked, id, kind: 'append' } as const;
  if (dice < 0.8) return { ...asked, id, kind: 'named append' } as const;
  const part = await sessions.history(own, { last: 4 });
  if (part.isErr()) return undefined;
  const { entries, position: ifPosition } = part.value;
  const to = entries[Math.floor(random() * entries.length)]?.position ?? 0;
  return { ...asked, id: own, kind: 'rewind', to, ifPosition } as const;
};

/** Repeats a request until it is answered, and prints the result. */
const ask = async (asked: Asked): Promise<boolean> => {
  const { by } = asked;
  say(asked);
  for (let again = 0; ; again += 1) {
    const answer = await carryOut(sessions, asked);
    await yieldTurn();
    if (answer.isOk()) {
      say({ by, outcome: 'ok', again });
      return true;
    }
    const { error } = answer;
    if (error.type !== 'store_unavailable') throw new Error(`${error.type}: ${error.message}`);
    if (isNamed(asked) && !isOver) continue;
    say({ by, outcome: again > 0 ? 'unknown' : error.outcome, again });
    return false;
  }
};

/** Repeats an acknowledged spend, which the store must recognise. */
const askAgain = async (asked: Asked): Promise<void> => {
  const answer = await carryOut(sessions, asked);
  if (answer.isOk() && !answer.value.repeated) throw new Error(`${asked.name} was made twice`);
  if (answer.isErr() && answer.error.type !== 'store_unavailable')
    throw new Error(`${answer.error.type}: ${answer.error.message}`);
};

const write = async (by: string, random: () => number): Promise<void> => {
  const own = await created(by);
  const done: Asked[] = [];
  for (let turn = 1; own !== undefined && !isOver; turn += 1) {
    const usage = { tokens: Math.floor(random() * 1000), writes: 1 } as const;
    const asked = await next({ by, name: `${by}.${turn}`, usage }, own, random);
    if (asked !== undefined && (await ask(asked)) && isNamed(asked)) done.push(asked);
    const earlier = done.at(-1 - Math.floor(random() * 30));
    if (earlier !== undefined && random() < 0.1) await askAgain(earlier);
  }
};

const working = upTo(Number(writers)).map((at) =>
  write(`${name}.${at}`, randomFrom(Number(seed) * 1000 + at)),
);

void Promise.all(working).then(close);
