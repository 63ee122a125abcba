import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';

const service = () => new SessionService({ store: new MemorySessionStore() });

describe('reply', () => {
  test('answers a message in a new session', async () => {
    const sessions = service();
    const reply = await sessions.orThrow.reply('chat', { id: 'm', content: 'Hi?' }, () => 'Yes.', {
      create: true,
    });
    expect(reply).toMatchObject({ content: 'Yes.', ran: true });
    const { entries } = await sessions.orThrow.history('chat');
    expect(entries).toMatchObject([
      { role: 'user', content: 'Hi?', id: 'm', turn: 1, message: true },
      { role: 'assistant', content: 'Yes.', turn: 1 },
    ]);
    const again = await sessions.orThrow.reply('chat', { id: 'm', content: 'Hi?' }, () => 'No.');
    expect(again).toMatchObject({ content: 'Yes.', ran: false, repeated: true });
  });
});
