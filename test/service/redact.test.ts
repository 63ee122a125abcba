import { expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, unwrap } from '../../src/index.js';

const open = async () => {
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const entries = [
    { role: 'user', content: 'secret', id: 'm-1', data: { name: 'secret' } },
    { role: 'user', content: 'two' },
  ];
  const { id } = await unwrap(
    sessions.create({ face: 'ada', profile: 'tutor', start: true, entries }),
  );
  const positions = (await unwrap(sessions.history(id, { after: 0 }))).entries.map(
    ({ position }) => position,
  );
  return { sessions, id, positions };
};

it('redact keeps the role, the time and the position of an entry', async () => {
  const { sessions, id, positions } = await open();
  const [before] = (await unwrap(sessions.get(id))).history;
  await unwrap(sessions.redact(id, positions.slice(0, 1)));
  const { history } = await unwrap(sessions.get(id));
  expect(history).toMatchObject([{ content: '' }, { content: 'two' }]);
  expect(history[0]).toEqual({ role: 'user', content: '', timestamp: before?.timestamp });
});

it('redact rejects invalid positions, and changes nothing', async () => {
  const { sessions, id, positions } = await open();
  const [first = 0] = positions;
  const wrong = [
    [],
    [0],
    [-1],
    [1.5],
    [first, 1_000_000],
    Array.from({ length: 1001 }, () => first),
  ];
  for (const each of wrong) {
    expect((await sessions.redact(id, each))._unsafeUnwrapErr().type, JSON.stringify(each)).toBe(
      'invalid_input',
    );
  }
  expect((await unwrap(sessions.get(id))).history[0]?.content).toBe('secret');
  expect((await sessions.redact('none', [first]))._unsafeUnwrapErr().type).toBe('not_found');
  expect((await sessions.forTenant('another').redact(id, [first]))._unsafeUnwrapErr().type).toBe(
    'not_found',
  );
});

it('redact sends a snapshot to a watch once, and the positions to watchAll', async () => {
  const { sessions, id, positions } = await open();
  const seen: unknown[] = [];
  const all = sessions.watchAll()[Symbol.asyncIterator]();
  for await (const change of sessions.watch(id)) {
    const value = unwrap(change);
    if (value.type === 'session.deleted' || value.type === 'session.expiring') continue;
    seen.push(value.type);
    if (seen.length > 1) continue;
    await unwrap(sessions.redact(id, positions));
    await unwrap(sessions.redact(id, positions));
    await unwrap(sessions.terminate(id));
  }
  expect(seen).toEqual(['session.snapshot', 'session.snapshot']);
  const redacted: unknown[] = [];
  for (let type = ''; type !== 'session.terminated'; ) {
    const { value, done } = await all.next();
    if (done === true) throw new Error('the watch has ended');
    const event = unwrap(value);
    type = event.type;
    if (event.type === 'session.redacted') redacted.push(event.positions);
  }
  expect(redacted).toEqual([positions]);
  await all.return?.();
});
