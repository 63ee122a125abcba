import { expect, test } from 'vitest';
import { ManualClock } from '../support/manual-clock.js';
import { okOf, startedIn } from '../support/sessions.js';
import { openInspector as open } from './open-inspector.js';

test("the inspector's session events contain leases for the timeline", async () => {
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

test('the inspector shows who works on a session, since when it waits, and exhausted attempts', async () => {
  const clock = new ManualClock();
  const { ask, sessions } = open({}, { clock });
  const id = await startedIn(sessions);
  const shown = async () => {
    const { body } = await ask('GET', `/inspector/session/${id}`);
    const { holder, lease_until: until, work } = JSON.parse(body ?? '');
    return { holder, until, work };
  };
  expect(await shown()).toEqual({});
  await okOf(sessions.wake(id));
  const now = new Date(clock.now()).toISOString();
  expect(await shown()).toEqual({ work: { state: 'waiting', since: now, attempt: 0 } });
  await okOf(sessions.claim({ holder: 'worker-1', seconds: 60, attempts: 1 }));
  const until = new Date(clock.now() + 60_000).toISOString();
  const running = { state: 'running', since: now, attempt: 1 };
  expect(await shown()).toEqual({ holder: 'worker-1', until, work: running });
  clock.pass(60_000);
  await okOf(sessions.claim({ holder: 'worker-1', seconds: 60, attempts: 1 }));
  expect((await shown()).work).toMatchObject({ state: 'exhausted', since: until });
  const listed = await ask('GET', '/inspector/sessions?labels=colloquy.work:exhausted');
  expect(JSON.parse(listed.body ?? '')).toMatchObject([{ id }]);
});
