import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../readme/documents.js';
import { documentedLines, runExample, stopAll } from './run-example.js';

afterAll(stopAll);

test('the examples table lists every example, and its links resolve', () => {
  const there = readdirSync(join(root, 'examples')).filter((name) => name !== 'README.md');
  expect([...documentedLines.keys()].toSorted()).toEqual(
    there.map((name) => name.replace(/\.ts$/, '')).toSorted(),
  );
  const files = [...documentedLines.values()].map((line) => line.split(' ').at(-1) ?? '');
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

// Each is a process that compiles what it runs: on a busy machine, many seconds.
describe.concurrent('an example that runs to its end', () => {
  test('encryption keeps text out of the database', async ({ expect }) => {
    expect(await runExample('encryption').finished).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: 'the database has the text: false\nthe session has it: My name is Nina.\n',
    });
  });

  test('store holds a conversation on a custom store', async ({ expect }) => {
    expect(await runExample('store').finished).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: 'user: What is 6 times 7?\nassistant: 42.\n',
    });
  });

  test('embed holds a conversation, and reports what is wrong with another', async ({ expect }) => {
    expect(await runExample('embed').finished).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        'user: What is 6 times 7?',
        'assistant: 6 times 7 is 42.',
        'user: And 12 times 12?',
        'assistant: 12 times 12 is 144.',
        'refused: face is not one of the names that this host allows',
        '',
      ].join('\n'),
    });
  });

  test('next serves the same sessions in the route handler and the app', async ({ expect }) => {
    const { exitCode, stdout, stderr } = await runExample('next').finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const id = /^POST 201 \{"session_id":"([^"]+)"\}$/m.exec(stdout)?.[1];
    expect(stdout).toMatch(/^start ACTIVE$/m);
    const listed = /^GET 200 (.*)$/m.exec(stdout)?.[1] ?? '';
    expect(JSON.parse(listed)).toMatchObject([{ id, status: 'ACTIVE' }]);
    expect(stdout).toMatch(/^GET without a key 401$/m);
  });

  test('voice keeps what was heard once, excludes holds, notices foreign ends, and parses transports', async ({
    expect,
  }) => {
    const { exitCode, stdout, stderr } = await runExample('voice').finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const [long = '', watched = '', twilio = '', liveKit = ''] = stdout.split('\n\n');
    expect(long.split('\n')).toEqual([
      'A long call: time_limit',
      '   1.5 s  user       What is a session?',
      '   5.4 s  assistant  One talk with one face.',
      '   5.4 s  assistant  It has a history, —',
      '   6.4 s  user       And when its time is up?',
      '  10.4 s  assistant  Then it has ended, for everybody who looks, at that very millisecond.',
      '  72.9 s  user       Tell me all that you know.',
      '  80.0 s  assistant  Very well.',
      '  80.0 s  assistant  In the beginning there was a face, and the face had a profile.',
      '  80.0 s  assistant  And it came to —',
      'TERMINATED after 20 s that count',
    ]);
    expect(watched.split('\n')).toEqual([
      'A call that is listened in: terminated',
      '   1.5 s  user       What is a session?',
      '   5.0 s  assistant  One talk with one face.',
      '   5.0 s  assistant  It has a —',
      'TERMINATED after 5 s that count',
    ]);
    expect(twilio.split('\n')).toEqual([
      'A call over Twilio',
      '   0.9 s  user       What is a session?',
      '   3.4 s  assistant  One talk with —',
      '   4.0 s  user       And when its time is up?',
      '   4.4 s  assistant  Then it has ended, for everybody who looks, at that very millisecond.',
      '   7.0 s  user       Thank you.',
      '   8.0 s  assistant  I did —',
      'TERMINATED after 8 s that count',
    ]);
    expect(liveKit.split('\n')).toEqual([
      'A call over LiveKit',
      '   0.7 s  user       What is a session?',
      '   2.7 s  assistant  One talk',
      'TERMINATED after 4 s that count',
    ]);
  });

  test('openapi prints a document with the names that the service allows', async ({ expect }) => {
    const { exitCode, stdout, stderr } = await runExample('openapi').finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { openapi, servers, paths } = JSON.parse(stdout);
    expect({ openapi, servers }).toEqual({
      openapi: expect.stringMatching(/^3\.1/),
      servers: [{ url: '/api' }],
    });
    expect(Object.keys(paths)).toContain('/append-history/{session_id}');
    expect(stdout).toContain('"grace"');
  });

  test('telemetry reports each operation, and how many sessions there are', async ({ expect }) => {
    const { exitCode, stdout, stderr } = await runExample('telemetry').finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'refused: a session that is ACTIVE does not allow resume',
        'span    start session',
        'span    resume session (invalid_transition)',
        expect.stringMatching(/^metric {2}colloquy\.operation\.duration: \d+ series, in s$/),
      ]),
    );
  });
});
