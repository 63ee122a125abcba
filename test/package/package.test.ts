import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { documentOf } from '../readme/documents.js';
import { announced, blocksIn } from '../readme/samples.js';
import { betterSqlite3Folder } from '../support/better-sqlite3.js';
import { isElsewhere } from '../support/continuous-integration.js';
import { createProject, evaluate, sameVersion, typeCheck } from '../support/npm-project.js';
import { type PackedPackage, packPackage, REPOSITORY } from '../support/packed-package.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { runNode } from '../support/run.js';
import { ada, okOf } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';
import { contract, needPeers } from './contract.js';

// Package managers and compilers take their time, above all when other tests have the machine's
// cores.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

type Format = 'esm' | 'cjs';
const formats = ['esm', 'cjs'] as const satisfies Format[];
const independent = Object.entries(contract).filter(
  ([subpath]) => !needPeers.some((other) => other === subpath),
);

const optionalPeers = [
  'inversify',
  'reflect-metadata',
  'ioredis',
  'libsql',
  'pg',
  '@opentelemetry/api',
];

/** Declarations are the same on every Node: they are checked on one. */
const tsc: (name: string, run: () => Promise<void>) => unknown = isElsewhere ? () => undefined : it;

let packed: PackedPackage;
let bare: string;
let equipped: string;
let onInversify7: string;

beforeAll(async () => {
  packed = await packPackage();
  bare = join(packed.dir, 'bare');
  equipped = join(packed.dir, 'equipped');
  onInversify7 = join(packed.dir, 'inversify7');
  const peers = await Promise.all([...optionalPeers, '@types/node', '@types/pg'].map(sameVersion));
  await Promise.all([
    createProject(bare, [packed.tarball]),
    createProject(equipped, [packed.tarball, ...peers]),
  ]);
});

afterAll(() => packed?.remove());

const load: Record<Format, (name: string) => string> = {
  esm: (name) => `await import('${name}')`,
  cjs: (name) => `require('${name}')`,
};

/** The names that each subpath exports. */
function exportsOf(project: string, format: Format, subpaths: readonly string[]): Promise<unknown> {
  const names = (subpath: string) =>
    `Object.keys(${load[format](posix.join('colloquy', subpath))}).sort()`;
  const entries = subpaths.map((subpath) => `'${subpath}': ${names(subpath)}`);
  return evaluate(project, format, `console.log(JSON.stringify({ ${entries.join(', ')} }))`);
}

const consumer = (name: string) =>
  readFile(join(import.meta.dirname, 'consumer', `${name}.ts`), 'utf8');

/** Runs a file of `consumer` in Jest 29. */
async function runInJest(project: string, name: string, options: object): Promise<void> {
  const file = `${name}.test.cjs`;
  await copyFile(join(import.meta.dirname, 'consumer', `${name}.cjs`), join(project, file));
  const jest = join(REPOSITORY, 'node_modules', 'jest29', 'bin', 'jest.js');
  const config = { ...options, testMatch: [`**/${file}`], testTimeout: 60_000 };
  const settings = ['--rootDir', project, '--config', JSON.stringify(config), '--ci'];
  await runNode([jest, ...settings], project);
}

describe('the packed package', () => {
  it('contains the build, the licence and the documents, and no sources', async () => {
    const root = join(bare, 'node_modules', 'colloquy');
    expect((await readdir(root)).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'SKILL.md',
      'dist',
      'docs',
      'examples',
      'llms-full.txt',
      'llms.txt',
      'package.json',
    ]);
    const documents = await readdir(join(root, 'docs'), { recursive: true, withFileTypes: true });
    const names = documents.filter((entry) => entry.isFile()).map(({ name }) => name);
    const pictures = names.filter((name) => !name.endsWith('.md')).toSorted();
    expect(pictures).toEqual(['demo.svg', 'inspector.png', 'session-life.svg']);
    const built = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
    const files = built
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(files.filter((file) => !/\.(c?js|d\.c?ts)$/.test(file))).toEqual([]);
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    expect(texts.filter((text) => text.includes(REPOSITORY))).toEqual([]);
  });

  it('exports exactly the subpaths of the contract', async () => {
    const script =
      "console.log(JSON.stringify(Object.keys(require('colloquy/package.json').exports).sort()))";
    const documented = [...Object.keys(contract), './package.json'];
    expect(await evaluate(bare, 'cjs', script)).toEqual(documented.sort());
  });
});

describe('the package without its optional peers', () => {
  const paths = independent.map(([subpath]) => subpath);

  it('runs its command line', async () => {
    const main = join(bare, 'node_modules', 'colloquy', 'dist', 'cli', 'main.js');
    expect(await runNode([main, '--help'], bare)).toContain('serve sessions over HTTP');
    // Later Nodes have a driver of their own, which can say that this file is no database.
    const listed = runNode([main, 'list', '--sqlite', 'package.json'], bare);
    await expect(listed).rejects.toThrow(
      requirements.nodeSqlite.isMet()
        ? 'file is not a database'
        : 'npm install better-sqlite3 (or libsql)',
    );
    for (const [name, needed] of [
      ['postgres', 'pg'],
      ['redis', 'ioredis'],
    ]) {
      const without = runNode([main, 'list', `--${name}`, `${name}://127.0.0.1`], bare);
      await expect(without).rejects.toThrow(
        `the package ${needed} is missing: run npm install ${needed}`,
      );
    }
  });

  if (!requirements.betterSqlite3.isMet()) it.skip(reasonToSkip(requirements.betterSqlite3));
  else
    it('reads a SQLite file with better-sqlite3 as the only driver', async () => {
      const { file, remove } = sqliteFile();
      onTestFinished(remove);
      const database = openLibsql(file);
      const store = new SqliteSessionStore({ database });
      await okOf(store.migrate());
      const { id } = await okOf(new SessionService({ store }).create(ada));
      database.close();
      const driver = join(bare, 'node_modules', 'better-sqlite3');
      await symlink(betterSqlite3Folder(), driver, 'dir');
      onTestFinished(() => rm(driver));
      const main = join(bare, 'node_modules', 'colloquy', 'dist', 'cli', 'main.js');
      expect(await runNode([main, 'list', '--sqlite', file], bare)).toContain(id);
    });

  it('installs none of the optional peers', async () => {
    const installed = await readdir(join(bare, 'node_modules'));
    expect(installed).toEqual(expect.arrayContaining(['colloquy', 'nanoid', 'neverthrow']));
    const peers = [...optionalPeers, 'better-sqlite3'];
    expect(installed.filter((name) => peers.some((peer) => peer.startsWith(name)))).toEqual([]);
  });

  it.each(formats)(
    'loads every subpath except those for containers and OpenTelemetry, as %s',
    async (format) => {
      const expected = independent.map(([subpath, names]) => [
        subpath,
        expect.arrayContaining([...names]),
      ]);
      expect(await exportsOf(bare, format, paths)).toEqual(Object.fromEntries(expected));
    },
  );

  it('exports the same names from ES modules and CommonJS', async () => {
    expect(await exportsOf(bare, 'cjs', paths)).toEqual(await exportsOf(bare, 'esm', paths));
  });

  it.each(formats)('works, as %s', async (format) => {
    const script = `
      (async () => {
        const { SessionService } = ${load[format]('colloquy')};
        const { MemorySessionStore } = ${load[format]('colloquy/memory')};
        const sessions = new SessionService({ store: new MemorySessionStore() });
        const { id } = (await sessions.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
        console.log(JSON.stringify((await sessions.start(id))._unsafeUnwrap().status));
      })();`;
    expect(await evaluate(bare, format, script)).toBe('ACTIVE');
  });

  it('runs a documented sample as pasted, next to the package.json of npm init', async () => {
    const [sample] = blocksIn(documentOf('docs/user-sessions.md'), 'ts');
    if (sample === undefined) throw new Error('docs/user-sessions.md has no sample');
    const folder = join(bare, 'first');
    await mkdir(folder);
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'first', version: '1.0.0', type: 'commonjs' }),
    );
    await writeFile(join(folder, 'first.mjs'), sample.code);
    expect((await runNode(['first.mjs'], folder)).trim().split('\n')).toEqual(announced(sample));
  });

  tsc('type-checks with no types but its own', async () => {
    await typeCheck(bare, 'core', await consumer('core'), []);
  });

  it('loads every subpath with require if require loads no ES modules', async () => {
    const loads = paths.map((subpath) => load.cjs(posix.join('colloquy', subpath))).join('; ');
    const args = ['--no-experimental-require-module', '--eval', `${loads}; console.log('loaded')`];
    expect(await runNode(args, bare)).toBe('loaded\n');
  });
});

const twoCopies = {
  'a worker on a service of the other copy': `
    const { id } = await sessions.orThrow.create({ start: true, wake: true });
    const { promise, resolve } = Promise.withResolvers();
    const worker = esm.createWorker(sessions, { run: ({ session }) => resolve(session.id) });
    worker.start();
    const ran = await promise;
    await worker.stop();
    result = ran === id;`,
  'a failure of the other copy by instanceof': `
    const failures = [
      await sessions.orThrow.get('nobody').catch((failure) => failure),
      await esm.unwrap(sessions.get('nobody')).catch((failure) => failure),
    ];
    class Other extends esm.SessionFailure {}
    const known = failures.every((f) => f instanceof esm.SessionFailure && f instanceof cjs.SessionFailure);
    result = known && !(failures[0] instanceof Other) && !(new Error() instanceof esm.SessionFailure);`,
  'routes of the other copy': `
    const routes = [http.commandRoutes(), http.historyRoutes(), http.eventRoutes()];
    esmHttp.createSessionHandler({ sessions, authenticate: () => 'default', routes });
    result = true;`,
  'a missing field of a service of the other copy': `
    const handler = esmHttp.createSessionHandler({ sessions, authenticate: () => 'default' });
    const headers = { 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: '{"profile":"tutor"}' };
    const answer = await fetchHandler(handler)(new Request('http://host/create-session', request));
    result = (await answer.json()).detail === 'face is required';`,
};

describe('two copies of the package in one process', () => {
  it.each(Object.entries(twoCopies))('accept %s', async (_name, use) => {
    const script = `
      import { createRequire } from 'node:module';
      import * as esm from 'colloquy';
      import { fetchHandler } from 'colloquy/fetch';
      import * as esmHttp from 'colloquy/http';
      const require = createRequire(import.meta.url);
      const cjs = require('colloquy');
      const http = require('colloquy/http');
      const { MemorySessionStore } = require('colloquy/memory');
      Promise.withResolvers ??= () => {
        let resolve;
        const promise = new Promise((done) => { resolve = done; });
        return { promise, resolve };
      };
      const sessions = new cjs.SessionService({ store: new MemorySessionStore() });
      let result;
      ${use}
      console.log(JSON.stringify(result));`;
    expect(await evaluate(bare, 'esm', script)).toBe(true);
  });
});

/** Creates a session and asks the handler for it, with what a container gives. */
const useContainer = (format: Format, loadModules: 'load' | 'loadSync'): string => `
  (async () => {
    ${load[format]('reflect-metadata')};
    const { Container } = ${load[format]('inversify')};
    const { coreModule, handlerModule, memoryModule, TYPES } = ${load[format]('colloquy/inversify')};
    const container = new Container();
    container.${loadModules}(coreModule({ tenant: 'acme' }), memoryModule(), handlerModule({ authenticate: () => 'acme' }));
    (await container.get(TYPES.SessionService).create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
    const request = { method: 'GET', url: '/sessions', prefix: '', header: () => 'key' };
    const { headers } = await container.get(TYPES.SessionHandler)(request);
    console.log(headers['X-Total-Count']);
  })();`;

describe.skipIf(isElsewhere)('the package with inversify 7', () => {
  beforeAll(async () => {
    const peers = ['inversify7', 'reflect-metadata', '@opentelemetry/api'];
    const older = await Promise.all(peers.map(sameVersion));
    await createProject(onInversify7, [packed.tarball, ...older]);
  });

  it.each(formats)('provides a service and a handler from a container, as %s', async (format) => {
    expect(await evaluate(onInversify7, format, useContainer(format, 'loadSync'))).toBe(1);
  });

  tsc('type-checks', async () => {
    await typeCheck(onInversify7, 'inversify7', await consumer('inversify7'), []);
  });

  it('works in Jest 29, which loads no ES modules with require', async () => {
    await runInJest(onInversify7, 'in-jest', {});
  });
});

describe('the package with all of its optional peers', () => {
  it.skipIf(isElsewhere)(
    'settles calls in Jest 29 with timers that are fake from the start',
    async () => {
      await runInJest(equipped, 'early-fakes-in-jest', { fakeTimers: { enableGlobally: true } });
    },
  );

  it.each(formats)('provides a service and a handler from a container, as %s', async (format) => {
    expect(await evaluate(equipped, format, useContainer(format, 'load'))).toBe(1);
  });

  it.each(formats)('stores sessions in SQLite, as %s', async (format) => {
    const script = `
      (async () => {
        const { SessionService } = ${load[format]('colloquy')};
        const { SqliteSessionStore } = ${load[format]('colloquy/sqlite')};
        const libsql = ${load[format]('libsql')};
        const store = new SqliteSessionStore({ database: new (libsql.default ?? libsql)(':memory:') });
        (await store.migrate())._unsafeUnwrap();
        const sessions = new SessionService({ store });
        const { id } = (await sessions.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
        console.log(JSON.stringify((await sessions.start(id))._unsafeUnwrap().status));
      })();`;
    expect(await evaluate(equipped, format, script)).toBe('ACTIVE');
  });

  const postgres = inject('postgres');
  if (postgres === undefined) it.skip(reasonToSkip(requirements.postgres));
  else
    it.each(formats)('stores sessions in PostgreSQL, as %s', async (format) => {
      const script = `
      (async () => {
        const { SessionService } = ${load[format]('colloquy')};
        const { PostgresSessionStore } = ${load[format]('colloquy/postgres')};
        const { Pool } = ${load[format]('pg')};
        const pool = new Pool({ connectionString: '${postgres.url}' });
        pool.on('error', () => {});
        const store = new PostgresSessionStore({ pool, schema: 'package_${format}' });
        (await store.migrate())._unsafeUnwrap();
        const sessions = new SessionService({ store });
        const { id } = (await sessions.create({ face: 'ada', profile: 'tutor' }))._unsafeUnwrap();
        console.log(JSON.stringify((await sessions.start(id))._unsafeUnwrap().status));
        await pool.end();
      })();`;
      expect(await evaluate(equipped, format, script)).toBe('ACTIVE');
    });

  it.each(formats)('exports what needs the peers, as %s', async (format) => {
    const expected = needPeers.map((subpath) => [
      subpath,
      expect.arrayContaining([...contract[subpath]]),
    ]);
    expect(await exportsOf(equipped, format, needPeers)).toEqual(Object.fromEntries(expected));
  });

  tsc('type-checks', async () => {
    await typeCheck(equipped, 'mounts', await consumer('mounts'), ['node']);
  });
});
