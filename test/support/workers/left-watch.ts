import { Redis } from 'ioredis';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';

/**
 * Watches a session and all sessions, and closes the client: the process must then exit by itself.
 */
const [port = '', prefix = ''] = process.argv.slice(2);

const client = new Redis(Number(port));
const sessions = new SessionService({
  store: new RedisSessionStore({ client, prefix, events: true }),
});

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const run = async (): Promise<void> => {
  const created = await sessions.create({ face: 'ada', profile: 'tutor', timeLimit: 3600 });
  const { id } = created._unsafeUnwrap();
  await sessions.start(id);
  let open = 0;
  const onOpen = (): void => {
    open += 1;
    if (open === 2) setTimeout(() => client.disconnect(), 50);
  };
  const follow = async (
    name: string,
    items: AsyncIterable<{ isErr(): boolean; _unsafeUnwrapErr(): object }>,
  ) => {
    for await (const item of items)
      if (item.isErr()) say(`${name} ${Object(item._unsafeUnwrapErr()).type}`);
    say(`${name} is over`);
  };
  await Promise.all([
    follow('watch', sessions.watch(id, { onOpen })),
    follow('watchAll', sessions.watchAll({ onOpen })),
  ]);
};

void run();
