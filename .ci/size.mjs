// What each subpath of the package weighs in a bundle: minified, then compressed with gzip -9, with
// its dependencies and without the peers and what Node brings. Fails where one is over its limit,
// has none, or where the table in docs/reference/sizes.md is out of date. Usage, after a build:
// node .ci/size.mjs [--write]     --write brings the table up to date
import { readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const LIMITS = '.ci/size-limits.json';
const DOCUMENT = 'docs/reference/sizes.md';
const TABLE = /(?<=<!-- sizes -->\n)[\s\S]*?(?=<!-- \/sizes -->)/;
// Bytes by which the table may be behind, so that not every commit changes it.
const STALE = 500;

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = readJson('package.json');
const limits = readJson(LIMITS);
const peers = Object.keys(manifest.peerDependencies);

const measure = async (file) => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${file}'`, resolveDir: '.' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    legalComments: 'none',
    external: ['node:*', ...peers],
    // Imports without names that the build has left are unused: esbuild may drop them.
    logOverride: { 'ignored-bare-import': 'silent' },
    write: false,
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, compressed: gzipSync(contents, { level: 9 }).length };
};

const sizes = new Map();
for (const [path, { import: target }] of Object.entries(manifest.exports)) {
  if (target !== undefined)
    sizes.set(path.replace('.', manifest.name), await measure(target.default));
}

const inKilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const rows = [...sizes].map(
  ([name, { compressed }]) => `| \`${name}\` | ${inKilobytes(compressed)} |\n`,
);
const table = ['| Subpath | In a bundle |\n', '|---|---|\n', ...rows].join('');

const document = readFileSync(DOCUMENT, 'utf8');
if (process.argv.includes('--write'))
  writeFileSync(
    DOCUMENT,
    document.replace(TABLE, () => table),
  );

const faults = [...overLimits(), ...notInTable()];
print();
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function* overLimits() {
  for (const [name, { compressed }] of sizes) {
    const limit = limits[name];
    if (limit === undefined) yield `${name} has no limit in ${LIMITS}`;
    else if (compressed > limit)
      yield `${name} has ${compressed} bytes, and may have ${limit} (${LIMITS})`;
  }
  for (const name of Object.keys(limits))
    if (!sizes.has(name)) yield `${LIMITS} names ${name}, which is no subpath`;
}

function* notInTable() {
  const told = readFileSync(DOCUMENT, 'utf8').match(TABLE)?.[0];
  if (told === undefined)
    return yield `${DOCUMENT} has no table between <!-- sizes --> and <!-- /sizes -->`;
  const stated = new Map(
    [...told.matchAll(/^\| `(\S+)` \| ([\d.]+) kB \|$/gm)].map(([, name, kB]) => [name, kB * 1000]),
  );
  const names = new Set([...sizes.keys(), ...stated.keys()]);
  for (const name of names) {
    const difference = Math.abs(
      (sizes.get(name)?.compressed ?? Number.NaN) - (stated.get(name) ?? Number.NaN),
    );
    if (!(difference <= STALE))
      yield `${DOCUMENT} is out of date on ${name}: node .ci/size.mjs --write, after a build`;
  }
}

function print() {
  const line = (...cells) =>
    console.log(cells[0].padEnd(24), ...cells.slice(1).map((cell) => cell.padStart(11)));
  line('', 'minified', 'compressed', 'limit');
  for (const [name, { minified, compressed }] of sizes) {
    line(
      name,
      `${minified} B`,
      `${compressed} B`,
      limits[name] === undefined ? '-' : `${limits[name]} B`,
    );
  }
}
