import { SessionService } from '../../../src/index.js';
import { openStoreAt } from '../store-address.js';

/**
 * `leaser.ts ADDRESS HOLDER SECONDS`: claims waiting sessions, and appends to each until it is
 * killed or releases it. Each entry is `<holder> <fencing token>`.
 */
const [address = '', holder = '', seconds = ''] = process.argv.slice(2);

const { store } = openStoreAt(JSON.parse(address));
const sessions = new SessionService({ store });

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const drive = async (id: string): Promise<void> => {
  await sessions.withLease(
    id,
    { holder, seconds: Number(seconds) },
    async ({ signal, fencingToken }) => {
      // A session without news waits longer after each attempt that is not done.
      await sessions.wake(id);
      const entry = { role: 'assistant', content: `${holder} ${fencingToken}` };
      while (!signal.aborted && Math.random() > 0.01) {
        await sessions.append(id, [entry], { fencingToken });
        await wait(Math.random() * 40);
      }
      await sessions.release(id, { fencingToken, done: true });
      await sessions.wake(id);
    },
  );
};

const lookAround = async (): Promise<never> => {
  for (;;) {
    const found = await sessions.claim({ holder, seconds: Number(seconds), limit: 10 });
    for (const { session } of found.isOk() ? found.value.claimed : []) void drive(session.id);
    await wait(100);
  }
};

void lookAround();
