import { beforeAll, describe, expect, test } from 'vitest';
import { addressOf } from '../../src/cli/listen.js';
import { buildCommandLine, type CommandLine } from '../support/command-line.js';

describe('the printed address of a server', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1', 'http://127.0.0.1:80', 'http://127.0.0.1:80'],
    ['localhost', '127.0.0.1', 'http://localhost:80', 'http://localhost:80'],
    ['::1', '::1', 'http://[::1]:80', 'http://[::1]:80'],
    ['0.0.0.0', '0.0.0.0', 'port 80 of all addresses of this machine', 'http://127.0.0.1:80'],
    ['0', '0.0.0.0', 'port 80 of all addresses of this machine', 'http://127.0.0.1:80'],
    ['::', '::', 'port 80 of all addresses of this machine', 'http://[::1]:80'],
    ['fe80::1%eth0', 'fe80::1', 'http://[fe80::1%25eth0]:80', 'http://[fe80::1%25eth0]:80'],
  ])('listening on %s names the address and a usable origin', (host, address, where, origin) => {
    expect(addressOf({ address, port: 80 }, host)).toEqual({ where, origin });
  });
});

describe('the request log', () => {
  let colloquy: CommandLine;
  beforeAll(async () => {
    colloquy = await buildCommandLine();
  });

  test('contains method, path, status, milliseconds and tenant per line, and no key', async () => {
    const env = { PORT: '0', COLLOQUY_API_KEYS: 'acme:open-sesame', COLLOQUY_INSPECTOR: 'on' };
    const server = await colloquy.start(['serve'], /Ctrl-C stops it/, env);
    const origin = /http:\/\/\S+/.exec(server.output())?.[0] ?? '';
    const headers = { 'X-API-KEY': 'open-sesame' };
    await fetch(`${origin}/sessions?limit=1&key=open-sesame`, { headers });
    await fetch(`${origin}/sessions`, { headers: { 'X-API-KEY': 'sesame-2' } });
    await fetch(`${origin}/create-session`, { headers, method: 'POST', body: '{' });
    await fetch(`${origin}/inspector`, {
      headers: { authorization: `Basic ${btoa('any:open-sesame')}` },
    });
    await fetch(`${origin}/inspector`, { headers });
    const { stdout, stderr } = await server.signal('SIGTERM');
    const log = stdout.split('\n').filter((line) => / ms /.test(line));
    expect(log.map((line) => line.replace(/ \d+ ms /, ' 1 ms '))).toEqual([
      'GET /sessions 200 1 ms acme',
      'GET /sessions 401 1 ms -',
      'POST /create-session 415 1 ms acme',
      'GET /inspector 200 1 ms acme',
      'GET /inspector 401 1 ms -',
    ]);
    expect(stdout + stderr).not.toContain('sesame');
  });
});
