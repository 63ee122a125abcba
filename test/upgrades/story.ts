import type { SessionService } from '../../src/index.js';
import type { ManualClock } from '../support/manual-clock.js';
import { ada, okOf } from '../support/sessions.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const said = (role: string, content: string) => ({ role, content });

/** Conversations with all that a store keeps of one, as a host of a release writes them. */
export const tell = async (sessions: SessionService, clock: ManualClock): Promise<void> => {
  const step = async (operation: Parameters<typeof okOf>[0]): Promise<void> => {
    await okOf(operation);
    clock.pass(SECOND);
  };
  const chat = { ...ada, start: true, labels: { user: 'u-1' } };
  await step(sessions.create({ ...ada, id: 'idle', context: 'a', behavior: 'b', timeLimit: 600 }));
  await step(sessions.create({ ...chat, id: 'chat', metadata: { plan: { tier: 2 } } }));
  await step(
    sessions.append('chat', [{ ...said('user', 'Hé “你好” \u0007'), data: { image: [1, null] } }], {
      operationId: 'append-1',
    }),
  );
  await step(sessions.reply('chat', { id: 'm-1', content: '6 times 7?' }, async () => '42'));
  const { position: erased } = await okOf(sessions.append('chat', [said('note', 'erased')]));
  await step(sessions.redact('chat', [erased]));
  const { position } = await okOf(sessions.append('chat', [said('note', 'superseded')]));
  const entries = [said('note', 'instead')];
  await step(sessions.rewind('chat', { to: erased, ifPosition: position, entries }));
  await step(sessions.send('chat', { id: 'm-2', content: 'waiting' }));
  await step(sessions.update('chat', { metadata: { plan: { tier: 3 } } }));
  await step(sessions.create({ ...chat, id: 'fork', from: { id: 'chat' } }));
  await step(sessions.create({ ...chat, id: 'paused', timeLimit: 60 }));
  await step(sessions.pause('paused'));
  await step(sessions.create({ ...chat, id: 'spent', budget: { tokens: 10 } }));
  await step(sessions.spend('spent', { tokens: 12 }, { operationId: 'spend-1' }));
  await step(sessions.create({ ...chat, id: 'timed-out', timeLimit: 1 }));
  await step(sessions.create({ ...chat, id: 'failed' }));
  await step(sessions.fail('failed'));
  await step(sessions.create({ ...chat, id: 'woken' }));
  await step(sessions.wake('woken', { at: new Date(clock.now() + HOUR) }));
  await step(sessions.create({ ...chat, id: 'crashed' }));
  await step(sessions.send('crashed', { id: 'm-3', content: 'taken by a worker that was killed' }));
  await step(sessions.claimAny({ holder: 'killed', seconds: 30, limit: 10 }));
};

const ids = [
  ...['idle', 'chat', 'fork', 'paused', 'spent'],
  ...['timed-out', 'failed', 'woken', 'crashed'],
];

/** What a host reads of them, as JSON. */
export const read = async (sessions: SessionService): Promise<unknown> => {
  const inEach = await Promise.all(
    ids.map(async (id) => ({
      session: await okOf(sessions.get(id)),
      history: await okOf(sessions.history(id)),
      inbox: await okOf(sessions.inbox(id)),
    })),
  );
  const lists = {
    newest: await okOf(sessions.list({ limit: 3 })),
    ended: await okOf(sessions.list({ status: 'TERMINATED' })),
    labelled: await okOf(sessions.list({ labels: { user: 'u-1' }, order: 'oldest' })),
  };
  return JSON.parse(JSON.stringify({ inEach, lists }));
};
