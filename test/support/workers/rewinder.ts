import { writeSync } from 'node:fs';
import { SessionService } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';
import { carryOut } from '../../faults/rewinds/carry-out.js';
import type { Asked } from '../../faults/rewinds/rewinders.js';
import { randomFrom } from '../random.js';
import { openShared } from '../shared-store.js';

/**
 * `rewinder.ts DATABASE ID NAME SEED`: appends to a session and rewinds it until its input ends.
 * Prints its requests and results as lines of JSON, so that they survive a kill.
 */
const [database = '', id = '', name = '', seed = ''] = process.argv.slice(2);

const TRIES = 3;

const { store, close } = openShared(JSON.parse(database));
const sessions = new SessionService({ store });
const random = randomFrom(Number(seed));
const say = (said: unknown): void => void writeSync(1, `${JSON.stringify(said)}\n`);

let isOver = false;
process.stdin.on('end', () => {
  isOver = true;
});
process.stdin.resume();

/** The next request after this end of the history. */
const next = (
  turn: number,
  part: { readonly entries: readonly { content: string; position: number }[]; position: number },
): Asked => {
  const dice = random();
  const contents = upTo(Math.floor(random() * 4)).map((at) => `${name}.${turn}.${at}`);
  const asked = {
    by: name,
    operationId: `${name}.${turn}`,
    contents,
    ...(random() < 0.2 && { ifPosition: part.position }),
  };
  const entry = part.entries[Math.floor(random() * part.entries.length)];
  const rewind = { ...asked, ifPosition: part.position };
  if (dice < 0.005) return { ...rewind, to: 0 };
  if (dice < 0.4 && entry !== undefined)
    return { ...rewind, to: entry.position, following: entry.content };
  return { ...asked, contents: contents.length > 0 ? contents : [`${name}.${turn}`] };
};

const work = async (): Promise<void> => {
  for (let turn = 1; !isOver; turn += 1) {
    const part = await sessions.history(id, { last: 3 });
    // Yields, because an immediate answer would block other writers.
    await new Promise((resolve) => setImmediate(resolve));
    if (part.isErr()) continue;
    const asked = next(turn, part.value);
    say(asked);
    for (let attempt = 1; ; attempt += 1) {
      const answer = await carryOut(sessions, id, asked);
      if (answer.isOk()) {
        say({ by: name, position: answer.value.position });
        break;
      }
      const { error } = answer;
      if (error.type === 'history_moved') {
        say({ by: name, refused: true });
        break;
      }
      if (error.type !== 'store_unavailable') throw new Error(`${error.type}: ${error.message}`);
      if (attempt < TRIES) continue;
      say({ by: name, inDoubt: true });
      break;
    }
  }
  await close();
};

void work();
