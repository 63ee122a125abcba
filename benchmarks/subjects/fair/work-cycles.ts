import { Redis } from 'ioredis';
import { startRedis } from '../../../test/support/redis-server.js';
import { serviceOf } from '../../clock.js';
import { RedisSessionStore } from '../../colloquy.js';
import { cycleFigures } from '../../fair-figures.js';
import { type Count, expect, must, type Suite } from '../suite.js';

/** What a client has sent since it was last asked. */
interface Sent {
  /** Scripts that it called. */
  readonly scripts: number;
  /** Waits for the disk: round trips after which the log was longer. */
  readonly diskWaits: number;
}

const logBytes = async (redis: Redis): Promise<number> =>
  Number(/^aof_current_size:(\d+)/m.exec(await redis.info('persistence'))?.[1]);

type SendCommand = Redis['sendCommand'];

/**
 * Counts what a client sends. Commands that wait for the answer to another command form a round
 * trip of their own; before each, `observer` looks at the log of the server, which only writes
 * lengthen.
 */
const counting = (client: Redis, observer: Redis) => {
  let [scripts, diskWaits, underWay] = [0, 0, 0];
  let bytes = 0;
  let ready: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    const now = await logBytes(observer);
    if (now > bytes) diskWaits += 1;
    bytes = now;
  };
  const send: SendCommand = client.sendCommand.bind(client);
  const sendCounted: SendCommand = (command, stream) => {
    if (underWay === 0) ready = look();
    underWay += 1;
    if (command.name.startsWith('eval')) scripts += 1;
    const answer = ready.then(() => send(command, stream));
    const settle = () => {
      underWay -= 1;
    };
    answer.then(settle, settle);
    return answer;
  };
  client.sendCommand = sendCounted;
  return async (): Promise<Sent> => {
    await look();
    const sent = { scripts, diskWaits };
    [scripts, diskWaits] = [0, 0];
    return sent;
  };
};

const CYCLES = 20;

/** Scripts and waits for the disk of a worker's cycle on a Redis that syncs each write. */
const counts = async (): Promise<readonly Count[]> => {
  const server = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
  const [client, observer] = [new Redis(server.port), new Redis(server.port)];
  try {
    const sessions = serviceOf(new RedisSessionStore({ client, events: true }));
    const sent = counting(client, observer);
    for (let left = 2 * CYCLES; left > 0; left -= 1)
      await must(sessions.create({ face: 'ada', profile: 'tutor', start: true, wake: true }));
    const cycle = async (): Promise<void> => {
      const { claimed } = await must(sessions.claim({ holder: 'worker', seconds: 60, limit: 1 }));
      const [one] = claimed;
      expect(one !== undefined, 'a session was claimed');
      if (one === undefined) return;
      const { session, lease } = one;
      await must(sessions.release(session.id, { fencingToken: lease.fencingToken }));
    };
    await cycle();
    await sent();
    for (let left = CYCLES; left > 0; left -= 1) await cycle();
    const { scripts, diskWaits } = await sent();
    return [
      { figure: cycleFigures.scripts, value: scripts / CYCLES, unit: 'a cycle' },
      { figure: cycleFigures.diskWaits, value: diskWaits / CYCLES, unit: 'a cycle' },
    ];
  } finally {
    client.disconnect();
    observer.disconnect();
    await server.stop();
  }
};

export const workCycles: Suite = { name: 'fair-work', counts };
