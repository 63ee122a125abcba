import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ResultAsync } from 'neverthrow';
import { chromium } from 'playwright-core';
import { MemorySessionStore } from '../adapters/memory/index.js';
import { nodeListener } from '../adapters/node/index.js';
import { createSessionHandler, eventRoutes } from '../src/http/index.js';
import { SessionService } from '../src/index.js';
import { inspectorRoutes } from '../src/inspector/index.js';

const folder = 'docs/pictures';

// Sessions as after a quarter of an hour, made immediately.
let offset = -15 * 60_000;
const clock = { now: () => Date.now() + offset };
const wait = (seconds: number): void => {
  offset += seconds * 1000;
};

const sessions = new SessionService({
  store: new MemorySessionStore({ events: true }),
  clock,
  tenant: 'acme',
});

const done = async <T>(operation: ResultAsync<T, { readonly message: string }>): Promise<T> => {
  const result = await operation;
  if (result.isErr()) throw new Error(result.error.message);
  return result.value;
};

const options = {
  profile: 'tutor',
  behavior: 'You teach arithmetic to a pupil of nine.',
  timeLimit: 900,
};

const started = async (face: string): Promise<string> => {
  const { id } = await done(
    sessions.create({ face, ...options, labels: { pupil: `p-${face.length}`, class: '4b' } }),
  );
  wait(3);
  await done(sessions.start(id));
  wait(9);
  return id;
};

const say = async (id: string, role: string, content: string): Promise<void> => {
  await done(sessions.append(id, [{ role, content }]));
  wait(4);
};

const others = async (): Promise<void> => {
  for (const [index, face] of ['ada', 'grace', 'hedy', 'mary', 'emmy', 'sofia', 'rosa'].entries()) {
    const id = await started(face);
    if (index % 4 === 0) await done(sessions.terminate(id));
    if (index % 4 === 1) await done(sessions.pause(id));
    if (index === 2) await done(sessions.fail(id));
    wait(20);
    await done(sessions.create({ face, ...options, profile: 'reader' }));
  }
};

await others();
const id = await started('ada');
await say(id, 'user', 'Hello! Can we do the seven times table?');
await say(id, 'assistant', 'Of course. You begin: what is 6 times 7?');
await say(id, 'user', 'Hm. 41?');
await say(id, 'tool', '{"check":"6*7","result":42}');
await say(
  id,
  'assistant',
  'Let us count: 6 times 5 is 30, and 6 times 2 is 12. Together that is 42.',
);
await say(id, 'user', 'I have to feed the cat. Wait for me!');
await done(sessions.pause(id));
wait(95);
await done(sessions.resume(id));
await say(id, 'user', 'I am back. And 7 times 7?');
await say(id, 'assistant', 'One seven more than 42. What does that make?');
await others();
offset = 0;

const routes = [eventRoutes(), inspectorRoutes({ authenticate: () => 'acme' })];
const handler = createSessionHandler({ sessions, authenticate: () => undefined, routes });
const server = createServer(nodeListener(handler)).listen(0, '127.0.0.1', async () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  mkdirSync(folder, { recursive: true });
  for (const [colorScheme, suffix] of [
    ['light', ''],
    ['dark', '-dark'],
  ] as const) {
    for (const [width, height, name] of [
      [1440, 810, ''],
      [768, 900, '-768'],
      [390, 780, '-390'],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height } });
      await page.goto(`http://127.0.0.1:${port}/inspector`);
      await page.locator('#rows tr').first().waitFor();
      // Pictures of the list alone help those who change the page, and are not in the documents.
      await page.screenshot({ path: `.ci/.build/list${name}${suffix}.png` });
      await page.goto(`http://127.0.0.1:${port}/inspector#${id}`);
      await page.getByText('What does that make?').waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      await page.screenshot({ path: `${folder}/inspector${name}${suffix}.png` });
      await page.close();
    }
  }
  await browser.close();
  server.closeAllConnections();
  server.close();
});
