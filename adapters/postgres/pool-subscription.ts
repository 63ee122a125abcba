import { setTimeout } from 'node:timers/promises';
import type { PostgresClient } from './postgres-session-store-options.js';

export interface Subscription {
  /** Whether the host has another connection. */
  hasRoom(): Promise<boolean>;
  stop(): void;
}

export interface Subscriber {
  notified(): void;
  /** Notifications may have been missed. */
  missed(): void;
  lost(): void;
}

/** Maximum wait for a free connection, in milliseconds. */
const FREE_MS = 250;

type Borrow = () => Promise<PostgresClient>;

/** A connection that becomes free too late goes back to the pool. */
const borrowSoon = async (borrow: Borrow): Promise<PostgresClient | undefined> => {
  const connecting = borrow().catch(() => undefined);
  const late = Symbol('late');
  const connected = await Promise.race([connecting, setTimeout(FREE_MS, late, { ref: false })]);
  if (connected !== late) return connected;
  void connecting.then((client) => client?.release(false));
  return undefined;
};

const hasRoom = async (borrow: Borrow): Promise<boolean> => {
  const client = await borrowSoon(borrow);
  client?.release(false);
  return client !== undefined;
};

/** `unable` if the connections of the pool cannot receive notifications. */
export const subscribeWith = async (
  borrow: Borrow,
  channel: string,
  { notified, lost }: Subscriber,
): Promise<Subscription | 'unable' | undefined> => {
  const client = await borrowSoon(borrow);
  if (client === undefined) return undefined;
  if (typeof client.on !== 'function') {
    client.release(false);
    return 'unable';
  }
  let isOver = false;
  /** Closes the connection, because it still listens. */
  const stop = (): void => {
    if (isOver) return;
    isOver = true;
    client.release(true);
  };
  client.on('notification', () => {
    if (!isOver) notified();
  });
  const end = (): void => {
    if (isOver) return;
    stop();
    lost();
  };
  for (const event of ['error', 'end']) client.on(event, end);
  try {
    await client.query(`LISTEN "${channel}"`);
  } catch {
    end();
  }
  return isOver ? undefined : { hasRoom: () => hasRoom(borrow), stop };
};
