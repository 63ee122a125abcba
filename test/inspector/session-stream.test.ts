import { expect, test } from 'vitest';
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
