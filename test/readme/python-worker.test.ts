import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { KEY, serve } from '../client/served.js';
import { findBinary } from '../support/find-binary.js';
import { PATIENT_MS } from '../support/patience.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { documentOf } from './documents.js';
import { blocksIn } from './samples.js';

const python = findBinary('python3', 'PYTHON');

/** The worker of the page, as it stands there. */
const [worker] = blocksIn(documentOf('docs/workers.md'), 'python');

test('the worker in Python has at most thirty lines', () => {
  expect(worker?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
});

if (python === undefined) test.skip(reasonToSkip(requirements.python));

test.skipIf(python === undefined)('the worker in Python answers each message once', async () => {
  const { baseUrl, clock, sessions } = await serve();
  const { id } = await sessions.orThrow.create({ face: 'ada', profile: 'tutor', start: true });
  const env = { PATH: process.env['PATH'], API_URL: baseUrl, API_KEY: KEY };
  const child = spawn(python ?? 'python3', ['-u', '-c', worker?.code ?? ''], { env });
  const closed = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk) => {
      printed += chunk;
    });
  }
  onTestFinished(async () => {
    child.kill();
    await closed;
  });
  const said: string[] = [];
  for (const content of ['Hello.', 'What is 6 times 7?']) {
    await sessions.orThrow.send(id, content);
    said.push(content, `You said: ${content}`);
    const done = async () => {
      clock.pass(1);
      const { history, work } = await sessions.orThrow.get(id);
      return [history.map((entry) => entry.content), work, printed];
    };
    await expect.poll(done, { timeout: PATIENT_MS }).toEqual([said, undefined, '']);
  }
});
