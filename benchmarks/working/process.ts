import { Redis } from 'ioredis';
import { openPool } from '../../test/support/postgres-schema.js';
import { type Address, openServices } from '../watching/process.js';

/**
 * The role of this process: a worker, or the least that is notified of work on the same database,
 * written by hand.
 */
export interface WorkingJob {
  readonly kind: 'worker' | 'by hand';
  readonly folder: string;
  readonly address: Address;
}

/** The reports of this process. */
export type Worked =
  | { readonly type: 'ready' }
  /** When it had some work, in milliseconds since the epoch. */
  | { readonly type: 'begun'; readonly at: number }
  /** Microseconds of CPU and calls of the store so far. */
  | { readonly type: 'cost'; readonly cpu: number; readonly calls: number };

const answer = (message: Worked): unknown => process.send?.(message);
const begun = (): unknown =>
  answer({ type: 'begun', at: performance.timeOrigin + performance.now() });

let calls = 0;

/** The same store, whose calls are counted. */
export const counted = (store: object): object =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        calls += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });

const work = async ({ folder, address }: WorkingJob): Promise<void> => {
  const { createWorker } = Object(await import(`${folder}dist/index.js`));
  const { sessions } = await openServices(folder, address, counted);
  createWorker(sessions, { run: () => void begun() }).start();
};

const byHand = async ({ address }: WorkingJob): Promise<void> => {
  if (address.type === 'redis') {
    const client = new Redis(address.port);
    for (;;) if ((await client.blpop(`${address.name}:by-hand`, 0)) !== null) begun();
  }
  if (address.type === 'postgres') {
    const client = await openPool(address).connect();
    const take =
      'DELETE FROM by_hand WHERE id IN (SELECT id FROM by_hand LIMIT 10 FOR UPDATE SKIP LOCKED) RETURNING id';
    client.on('notification', async () => {
      const { rows } = await client.query(take);
      for (const _ of rows) begun();
    });
    await client.query('LISTEN by_hand');
  }
};

if (process.send !== undefined) {
  process.on('message', async (message: WorkingJob | 'cost') => {
    if (message === 'cost') {
      const { user, system } = process.cpuUsage();
      answer({ type: 'cost', cpu: user + system, calls });
      return;
    }
    const started = message.kind === 'worker' ? work(message) : byHand(message);
    setTimeout(() => answer({ type: 'ready' }), 2000);
    await started;
  });
}
