import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { transitions } from '../../src/status.js';
import { compileSamples } from './compile.js';
import { collectServers, listenToConsole, SampleFolder } from './run-sample.js';
import { announced, blocksOf, isTest, needsRedis, readme, root, rowsOf, type Sample } from './samples.js';

const samples = blocksOf('ts');
const redis = inject('redis');
const folder = new SampleFolder();
afterAll(() => folder.remove());

const portOf = async (server: Server): Promise<number> => {
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
};

/** The status of the list through the server of a sample, under its prefix and with its key. */
const statusOfList = async (server: Server): Promise<number> => {
  const url = `http://localhost:${await portOf(server)}/api/sessions`;
  const { status } = await fetch(url, { headers: { 'X-API-KEY': 'change-me', connection: 'close' } });
  return status;
};

describe('the samples of the README', () => {
  let found: ReadonlyMap<Sample, readonly string[]>;
  beforeAll(() => {
    found = compileSamples(samples);
  }, 60_000);

  test('are there', () => {
    expect(samples.length).toBeGreaterThan(10);
  });

  test.for(samples)('$name compiles', (sample) => {
    expect(found.get(sample)).toEqual([]);
  });

  const runnable = samples.filter((sample) => sample.runs && !isTest(sample));
  const here = runnable.filter((sample) => redis !== undefined || !needsRedis(sample));

  test.for(here)('$name runs, prints what it says and serves', async (sample) => {
    const lines = listenToConsole();
    const servers = collectServers();
    await folder.run(sample, redis?.url);
    expect(lines).toEqual(announced(sample));
    expect(servers).toHaveLength(/\blisten\(|\bserve\(/.test(sample.code) ? 1 : 0);
    for (const server of servers) {
      expect(await statusOfList(server)).toBe(200);
      server.close();
    }
  });

  if (here.length < runnable.length) test.skip('the rest need a redis-server, and none was found');
});

// A sample that is a test adds its own cases here, while the tests are being collected.
for (const sample of samples.filter(isTest)) await folder.run(sample);

describe('what the README says', () => {
  test('the commands that it names are scripts', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const commands = blocksOf('bash').map(({ code }) => code);
    expect(commands.join('')).toContain('npm ci && npm start\nnpm ci && npm test\n');
    const named = [...readme.matchAll(/\bnpm (?:run )?(start|test|replay|check|format|coverage|build)\b/g)];
    for (const [, name = ''] of named) expect(Object.keys(scripts)).toContain(name);
  });

  test('the table of transitions is the one that the engine goes by', () => {
    const expected = Object.entries(transitions).flatMap(([from, row]) =>
      Object.entries(row).map(([command, target]) => {
        if ('unchanged' in target) return [from, command, 'unchanged', ''];
        return [from, command, target.status, 'endReason' in target ? target.endReason : ''];
      }),
    );
    const byText = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(' ')).toSorted();
    expect(byText(rowsOf('From', 'Command', 'To'))).toEqual(byText(expected));
  });

  test('the picture shows the same transitions', () => {
    const drawn = [...readme.matchAll(/^ {2}([A-Z]+) --> ([A-Z]+): (.+)$/gm)].flatMap(([, from, to, commands = '']) =>
      commands.split(', ').map((command) => `${from} ${command} ${to}`),
    );
    const listed = rowsOf('From', 'Command', 'To').map(
      ([from, command, to]) => `${from} ${command} ${to === 'unchanged' ? from : to}`,
    );
    expect(drawn.toSorted()).toEqual(listed.toSorted());
  });
});
