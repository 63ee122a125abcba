import { expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { okOf, startedIn } from '../support/sessions.js';
import { openInspector as open } from './open-inspector.js';

test('the events of a session tell who leases it, for its timeline', async () => {
  const { ask, sessions } = open();
  const id = await startedIn(sessions);
  const { stream } = await ask('GET', `/inspector/session/${id}/events`);
  if (stream === undefined) throw new Error('nothing is streamed');
  const holders: unknown[] = [];
  for await (const bytes of stream) {
    const [, data] = /^data: (.+)$/m.exec(new TextDecoder().decode(bytes)) ?? [];
    if (data === undefined) continue;
    const { type, session } = JSON.parse(data);
    if (type === 'session.changed') holders.push(session.holder);
    if (holders.length === 1) break;
    await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 60 }));
  }
  expect(holders).toEqual(['worker-1']);
});

test('a session tells who works on it, from when on it waits, and when it waits for no worker any more', async () => {
  const clock = new ManualClock();
  const { ask, sessions } = open({}, { clock });
  const id = await startedIn(sessions);
  const shown = async () => {
    const { body } = await ask('GET', `/inspector/session/${id}`);
    const {
      holder,
      lease_until: until,
      attempts,
      wake_at: wakeAt,
      exhausted,
    } = JSON.parse(body ?? '');
    return { holder, until, attempts, wakeAt, exhausted };
  };
  expect(await shown()).toEqual({});
  await okOf(sessions.wake(id));
  const now = new Date(clock.now()).toISOString();
  expect(await shown()).toEqual({ attempts: 0, wakeAt: now });
  await okOf(sessions.claim({ holder: 'worker-1', seconds: 60, attempts: 1 }));
  const until = new Date(clock.now() + 60_000).toISOString();
  expect(await shown()).toEqual({ holder: 'worker-1', until, attempts: 1, wakeAt: until });
  clock.pass(60_000);
  await okOf(sessions.claim({ holder: 'worker-1', seconds: 60, attempts: 1 }));
  expect(await shown()).toEqual({ attempts: 0, exhausted: true });
  const listed = await ask('GET', '/inspector/sessions?labels=colloquy.work:exhausted');
  expect(JSON.parse(listed.body ?? '')).toMatchObject([{ id }]);
});
