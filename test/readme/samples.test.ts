import { once } from 'node:events';
import type { Server } from 'node:net';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { collectServers, listenToConsole, SampleFolder } from './run-sample.js';
import { announced, blocksOf, isTest, needsDriver, needsRedis } from './samples.js';

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
  const { status } = await fetch(url, {
    headers: { 'X-API-KEY': 'change-me', connection: 'close' },
  });
  return status;
};

describe('the samples in the documents', () => {
  test('exist', () => {
    expect(samples.length).toBeGreaterThan(10);
  });

  const runnable = samples.filter((sample) => sample.runs && !isTest(sample));
  const missing = [
    { requirement: requirements.redis, needs: needsRedis },
    { requirement: requirements.betterSqlite3, needs: needsDriver },
  ].filter(({ requirement }) => !requirement.isMet());
  const here = runnable.filter((sample) => !missing.some(({ needs }) => needs(sample)));

  test.for(here)('$name runs, prints what it says, and serves', async (sample) => {
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

  for (const { requirement } of missing) test.skip(reasonToSkip(requirement));
});

// A sample that is a test adds its own cases here, while the tests are being collected.
for (const sample of samples.filter(isTest)) await folder.run(sample);
