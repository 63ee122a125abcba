import { SessionService } from '../../../src/index.js';
import { openStoreAt } from '../store-address.js';

/**
 * `leaser.ts ADDRESS HOLDER SECONDS`: leases the sessions that nobody holds, and writes to each until it is killed or lets
 * go. Each entry is `<holder> <fencing token>`.
 */
const [address = '', holder = '', seconds = ''] = process.argv.slice(2);

const { store } = openStoreAt(JSON.parse(address));
const sessions = new SessionService({ store });
const driven = new Set<string>();

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const drive = async (id: string): Promise<void> => {
  driven.add(id);
  await sessions.withLease(id, { holder, seconds: Number(seconds) }, async ({ signal, fencingToken }) => {
    const entry = { role: 'assistant', content: `${holder} ${fencingToken}` };
    while (!signal.aborted && Math.random() > 0.01) {
      await sessions.append(id, [entry], { fencingToken });
      await wait(Math.random() * 40);
    }
  });
  driven.delete(id);
};

const lookAround = async (): Promise<never> => {
  for (;;) {
    for await (const found of sessions.unleased({ status: 'ACTIVE' })) {
      if (found.isOk() && !driven.has(found.value.id)) void drive(found.value.id);
    }
    await wait(100);
  }
};

void lookAround();
