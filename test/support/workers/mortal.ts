import { Redis } from 'ioredis';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { createSweeper } from '../../../src/service/sweeper.js';

/** Works until it is killed, and prints acknowledged results: one JSON object a line. */
const [job = '', port = '', prefix = ''] = process.argv.slice(2);

const store = new RedisSessionStore({ client: new Redis(Number(port)), prefix, events: true });
const sessions = new SessionService({ store });

const say = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

const converse = async (): Promise<void> => {
  for (;;) {
    const created = await sessions.create({ face: 'ada', profile: 'tutor' });
    if (created.isErr()) continue;
    const { id } = created.value;
    say({ id, type: 'session.created' });
    if ((await sessions.start(id)).isOk()) say({ id, type: 'session.started' });
    for (let turn = 0; turn < 5; turn += 1) {
      const appended = await sessions.append(id, [{ role: 'user', content: `${turn}` }]);
      if (appended.isOk()) say({ id, type: 'session.appended', position: appended.value.position });
    }
    if ((await sessions.pause(id)).isOk()) say({ id, type: 'session.paused' });
    if ((await sessions.terminate(id)).isOk()) say({ id, type: 'session.terminated' });
  }
};

const sweep = async (): Promise<void> => {
  say({ type: 'sweeping' });
  const swept = await createSweeper(sessions, { batch: 20 }).sweepOnce();
  say({ type: 'swept', ok: swept.isOk() });
};

const work = job === 'sweep' ? sweep() : Promise.all(Array.from({ length: 8 }, converse));
work.then(
  () => process.exit(0),
  () => process.exit(1),
);
