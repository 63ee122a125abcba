// Tries the packed package on Node 20 to 26, Bun, Deno, workerd with and without `nodejs_compat`,
// and as a route of Next.js, and prints the table of docs/reference/compatibility.md. Fetches the
// runtimes as npm packages into a folder of its own, and needs some minutes. Starts a redis-server
// if one is on the PATH. Usage, after `npm run build && npm run package`: node .ci/runtimes.mjs
// [name ...]     for example: bun deno
import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);
const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'colloquy-runtimes-'));
const bin = (name) => join(folder, 'node_modules', '.bin', name);
const versionOf = (name) =>
  JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;

const install = (...packages) =>
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], {
    cwd: folder,
  });

/** A temporary Redis, if one is on the PATH. */
const startRedis = async () => {
  const port = 20_000 + (process.pid % 20_000);
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
    { cwd: folder },
  );
  const isReady = await new Promise((resolve) => {
    server.once('error', () => resolve(false)).once('exit', () => resolve(false));
    server.stdout.on('data', (data) => data.includes('Ready to accept') && resolve(true));
  });
  return isReady ? { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() } : undefined;
};
const redis = await startRedis();

/** Runs server.js with a command; its last line lists what passed. */
const serve = async (command, ...args) => {
  const env = { ...process.env, ...(redis && { REDIS_URL: redis.url }) };
  const { stdout } = await run(command, [...args, 'server.js'], {
    cwd: folder,
    env,
    timeout: 60_000,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1));
};

const node = (major) => async () => {
  await install(`node${major}@npm:node-linux-${arch}@${major}`);
  return [
    `Node ${versionOf(`node${major}`)}`,
    await serve(join(folder, 'node_modules', `node${major}`, 'bin', 'node')),
  ];
};

const bun = async () => {
  await install('bun@1');
  return [`Bun ${versionOf('bun')}`, await serve(bin('bun'))];
};

const deno = async () => {
  await install('deno@2');
  return [`Deno ${versionOf('deno')}`, await serve(bin('deno'), 'run', '--allow-all', '--no-lock')];
};

const workerd = (compatibilityFlags) => async () => {
  await install('miniflare@4');
  const [{ text: script }] = (
    await build({
      entryPoints: [join(folder, 'worker.js')],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      // The conditions under which wrangler resolves packages.
      conditions: ['workerd', 'worker', 'browser'],
      external: ['node:*'],
    })
  ).outputFiles;
  const { Miniflare } = await import(
    join(folder, 'node_modules', 'miniflare', 'dist', 'src', 'index.js')
  );
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: '2026-01-01',
    compatibilityFlags,
  });
  try {
    const response = await worker.dispatchFetch('http://localhost/');
    const flags = compatibilityFlags.length > 0 ? ' with `nodejs_compat`' : '';
    return [
      `workerd ${versionOf('workerd')}${flags}`,
      [['engine, handler, client', await response.text()]],
    ];
  } finally {
    await worker.dispose();
  }
};

const next = async () => {
  await install(
    'next@16',
    'react@19',
    'react-dom@19',
    'typescript@5',
    '@types/node@20',
    '@types/react@19',
  );
  const app = join(root, 'examples', 'next');
  for (const name of readdirSync(app, { recursive: true }).filter((path) =>
    /^(app|lib)\/.*\.ts$/.test(path),
  )) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(
      join(folder, name),
      readFileSync(join(app, name), 'utf8').replace("sessions.js'", "sessions'"),
    );
  }
  const layout =
    'export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>;\n';
  writeFileSync(join(folder, 'app', 'layout.tsx'), layout);
  const env = { ...process.env, API_KEY: 'k', NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  await run(bin('next'), ['build'], { cwd: folder, env, timeout: 300_000 });
  const server = spawn(bin('next'), ['start', '-H', '127.0.0.1', '-p', '0'], {
    cwd: folder,
    env,
    detached: true,
  });
  try {
    const origin = await new Promise((resolve, reject) => {
      let printed = '';
      server.stdout.on('data', (data) => {
        printed += data;
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
        if (found !== undefined && printed.includes('Ready')) resolve(found);
      });
      server.once('exit', () => reject(new Error(printed)));
    });
    const statuses = [];
    for (const headers of [{}, { 'X-API-KEY': 'k' }]) {
      statuses.push((await fetch(`${origin}/api/sessions`, { headers })).status);
    }
    const outcome = statuses.join() === '401,200' ? 'yes' : `no: ${statuses}`;
    return [
      `Next.js ${versionOf('next')} on Node ${process.versions.node}`,
      [['engine, handler, client', outcome]],
    ];
  } finally {
    process.kill(-server.pid);
  }
};

const runtimes = {
  node20: node(20),
  node22: node(22),
  node24: node(24),
  node26: node(26),
  bun,
  deno,
  workerd: workerd([]),
  workerd_nodejs: workerd(['nodejs_compat']),
  next,
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runtimes);
const columns = ['engine, handler, client', 'node:http', 'its own SQLite', 'Redis, by ioredis'];
try {
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  cpSync(join(root, 'test', 'runtimes'), folder, { recursive: true });
  const tarball = readdirSync(join(root, 'dist')).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined)
    throw new Error('dist holds no tarball: npm run build && npm run package');
  await install(join(root, 'dist', tarball), 'ioredis@5');
  console.log(`Tried on ${new Date().toISOString().slice(0, 10)}.\n`);
  console.log(`| Runtime | ${columns.join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`);
  for (const name of wanted) {
    const [title, passed] = await runtimes[name]().catch((error) => [
      name,
      [[columns[0], `no: ${error.message}`]],
    ]);
    const cells = columns.map((column) => passed.find(([what]) => what === column)?.[1] ?? '-');
    if (cells.some((cell) => cell.startsWith('no'))) process.exitCode = 1;
    console.log(
      `| ${title} | ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '/')).join(' | ')} |`,
    );
  }
} finally {
  redis?.stop();
  rmSync(folder, { recursive: true, force: true });
}
