// Jest runs each test file in a realm of its own, in which `require` loads no ES modules.
const subpaths = Object.keys(require('colloquy/package.json').exports);

test.each(subpaths)('loads colloquy%s', (subpath) => {
  expect(require(`colloquy${subpath.slice(1)}`)).toBeDefined();
});

const { SessionService, SessionFailure } = require('colloquy');
const { MemorySessionStore } = require('colloquy/memory');

const timestamp = new Date(0);
const data = { scores: [1, { top: 2 }] };
const metadata = { plan: { seats: [3] } };
const words = { role: 'user', content: 'Hello', timestamp, data };
const stored = { ...words, timestamp: timestamp.toISOString() };

test('returns plain objects of the realm of the test', async () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const created = await sessions.orThrow.create({ start: true, metadata, entries: [words] });
  expect(created.history).toStrictEqual([stored]);
  expect(created.metadata).toStrictEqual(metadata);
  await sessions.orThrow.append(created.id, [words]);
  const session = await sessions.orThrow.get(created.id);
  expect(session.history).toStrictEqual([stored, stored]);
  expect(session.metadata).toStrictEqual(metadata);
  expect(session.labels).toStrictEqual({});
});

test('accepts a Date of another realm', async () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const { id } = await sessions.orThrow.create({ start: true });
  const foreign = require('node:vm').runInNewContext('new Date(0)');
  await sessions.orThrow.append(id, [{ ...words, timestamp: foreign }]);
  expect((await sessions.orThrow.get(id)).history).toStrictEqual([stored]);
});

test('rejects with a SessionFailure', async () => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  await expect(sessions.orThrow.get('nobody')).rejects.toBeInstanceOf(SessionFailure);
});
