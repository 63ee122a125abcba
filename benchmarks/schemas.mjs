// Readers of create, append and list with their JSON Schemas, by the schema language of Colloquy, by
// Valibot and by Zod: bytes in a bundle and CPU time a call. Saves the figures in benchmarks/results.
//
//     npm run bench:schemas
import { strict as assert } from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { faults, invalid, valid } from './schemas/cases.mjs';

const NAMES = ['colloquy', 'valibot', 'zod'];
const ROUNDS = 31;
const CALLS = 2000;

const folder = fileURLToPath(new URL('schemas/', import.meta.url));

if (!existsSync(`${folder}node_modules`)) {
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', cwd: folder });
  if (status !== 0) process.exit(status ?? 1);
}

/** Without neverthrow, which the package has anyway. */
const bundle = (name, options) =>
  build({
    entryPoints: [`${folder}${name}.ts`],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['neverthrow'],
    legalComments: 'none',
    ...options,
  });

const sizeOf = async (name) => {
  const { outputFiles } = await bundle(name, { minify: true, write: false });
  const [{ contents }] = outputFiles;
  const gzipped = gzipSync(contents, { level: 9 }).length;
  return { minified: contents.length, gzipped };
};

const load = async (name) => {
  const outfile = `${folder}.build/${name}.mjs`;
  await bundle(name, { outfile });
  const { subject } = await import(outfile);
  return subject;
};

/** As JSON, without what is undefined or null and without an order of members. */
const plain = (value) => {
  const sorted = (_, part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const members = Object.entries(part).filter(
      ([, member]) => (member ?? undefined) !== undefined,
    );
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  return JSON.parse(JSON.stringify(value, sorted));
};

/** A repeated path counts once: libraries report several rules of one field in other ways. */
const pathsOf = (answer) => [...new Set(answer.issues?.map(({ path }) => path))].sort();

/** Throws unless all answer alike: the same values, and issues of the same fields. */
const check = (subjects) => {
  const [ours, ...others] = Object.values(subjects);
  for (const other of others) {
    for (const [name, call] of Object.entries(valid))
      assert.deepEqual(valueIn(call(other, 7)), valueIn(call(ours, 7)), name);
    for (const call of [...Object.values(invalid), ...faults])
      assert.deepEqual(pathsOf(call(other, 7)), pathsOf(call(ours, 7)), String(call));
  }
};

const valueIn = (answer) => {
  assert.ok('value' in answer, JSON.stringify(answer));
  const { content: _, ...value } = answer.value;
  return plain(value);
};

const medianOf = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Microseconds of CPU time a call, the median of rounds in which the subjects take turns. */
const timesOf = (subjects, call) => {
  const times = Object.fromEntries(NAMES.map((name) => [name, []]));
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const at of NAMES.keys()) {
      const name = NAMES[(at + round + 5) % NAMES.length];
      const before = process.cpuUsage();
      for (let i = 0; i < CALLS; i += 1) call(subjects[name], i + (round + 5) * CALLS);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[name].push((user + system) / CALLS);
    }
  }
  return Object.fromEntries(NAMES.map((name) => [name, Number(medianOf(times[name]).toFixed(2))]));
};

const versionOf = (name) =>
  JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8')).version;

const subjects = {};
const bytes = {};
for (const name of NAMES) {
  subjects[name] = await load(name);
  bytes[name] = await sizeOf(name);
  assert.equal(subjects[name].jsonSchemas().length, 3);
}
check(subjects);
const sharedBytes = await sizeOf('rules');

const load1 = Number(loadavg()[0].toFixed(2));
const calls = Object.entries({ ...valid, ...invalid });
const microseconds = Object.fromEntries(
  calls.map(([name, call]) => [name, timesOf(subjects, call)]),
);

const row = (name, values) => console.log(`| ${[name, ...values].join(' | ')} |`);
row('', NAMES);
row(
  '---',
  NAMES.map(() => '---:'),
);
row(
  'Bytes, minified',
  NAMES.map((name) => bytes[name].minified.toLocaleString('en')),
);
row(
  'Bytes, gzipped',
  NAMES.map((name) => bytes[name].gzipped.toLocaleString('en')),
);
for (const [name, of] of Object.entries(microseconds)) row(`${name}, µs`, Object.values(of));

console.log(`Bytes of rules that all share: ${sharedBytes.minified} and ${sharedBytes.gzipped}.`);

const date = new Date().toISOString();
const machine = {
  cpu: cpus()[0].model,
  cores: cpus().length,
  load: load1,
  node: process.versions.node,
  packages: { valibot: versionOf('valibot'), zod: versionOf('zod') },
  commit: execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).trim(),
};
mkdirSync('benchmarks/results', { recursive: true });
const file = `benchmarks/results/${date.slice(0, 10)}-schemas.json`;
const found = { date, machine, rounds: ROUNDS, bytes, sharedBytes, microseconds };
writeFileSync(file, `${JSON.stringify(found, undefined, 2)}\n`);
