// What a user of the package gets besides our own code: writes the bill of materials to dist, and
// fails on a licence that is not allowed, a package without a checksum, an install script, foreign
// code inside of our files, a link of the documents that leads out of the package, or lists for
// assistants that are out of date. Asks nobody: all is in the lock file and in dist. Usage, after a
// build: node .ci/shipped.mjs
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';

const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall'];
// Next to the package and not in it, because a host resolves our ranges anew and later gets other
// versions.
const BILL = 'dist/colloquy.cdx.json';

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
/** The output of npm lists every package that development uses. */
const maxBuffer = 64 * 1024 * 1024;

const npm = (...args) =>
  JSON.parse(
    execFileSync('npm', args, { encoding: 'utf8', maxBuffer, stdio: ['ignore', 'pipe', 'ignore'] }),
  );

const manifest = readJson('package.json');
const lock = readJson('package-lock.json');
const [packed] = npm('pack', '--dry-run', '--ignore-scripts', '--json');
const shipped = packed.files.map(({ path }) => path);
const bill = billOfMaterials();
writeFileSync(BILL, `${JSON.stringify(bill, null, 2)}\n`);

const faults = [
  ...bill.components
    .filter((component) => !isLicensed(component))
    .map(({ purl }) => `${purl}: licence not allowed`),
  ...bill.components
    .filter((component) => !hasChecksum(component))
    .map(({ purl }) => `${purl}: no SHA-512 in the lock`),
  ...installScripts().map((name) => `${name} runs a script when it is installed`),
  ...foreignCode().map((file) => `${file} holds code of another package`),
  ...linksOut(),
  ...outOfDate().map((file) => `${file} is out of date: npm run build`),
];
const names = bill.components.map(({ name, version }) => `${name}@${version}`);
console.log(`${BILL}: installed with ${manifest.name}@${manifest.version} are ${names.join(', ')}`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

// Of the whole lock file, without what serves development. `--omit=dev` would also leave out what
// both need, for example the optional dependency of a dependency; and what is installed here
// differs from one machine to another.
function billOfMaterials() {
  const whole = npm(
    'sbom',
    '--package-lock-only',
    '--sbom-format=cyclonedx',
    '--sbom-type=library',
  );
  const components = whole.components.filter((component) => !isForDevelopment(component));
  const root = whole.metadata.component;
  const kept = new Set([root, ...components].map((component) => component['bom-ref']));
  const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((other) => kept.has(other)),
    }));
  // npm takes the name of the root from the folder of the clone.
  const metadata = { ...whole.metadata, component: { ...root, name: manifest.name } };
  return { ...whole, metadata, components, dependencies };
}

function isForDevelopment({ properties }) {
  return properties.some(
    ({ name, value }) => name === 'cdx:npm:package:development' && value === 'true',
  );
}

function isLicensed({ licenses = [] }) {
  return licenses.length > 0 && licenses.every(({ license }) => ALLOWED.includes(license?.id));
}

function hasChecksum({ hashes = [] }) {
  return hashes.some(({ alg }) => alg === 'SHA-512');
}

function installScripts() {
  const ours = INSTALL_SCRIPTS.some((name) => name in manifest.scripts) ? [manifest.name] : [];
  const theirs = Object.entries(lock.packages).filter(
    ([, entry]) => entry.hasInstallScript && !entry.dev,
  );
  return [...ours, ...theirs.map(([path]) => path)];
}

function foreignCode() {
  // The bundler writes the path of every module that it takes in above the module's code. nanoid
  // has no CommonJS build: its licence is installed with it, as a dependency.
  const foreign = (file) => {
    const other = file.endsWith('.cjs') ? /\/\/ node_modules\/(?!nanoid\/)/ : /\/\/ node_modules\//;
    return other.test(readFileSync(file, 'utf8'));
  };
  const files = shipped.filter((path) => /\.c?js$/.test(path));
  if (files.length === 0) throw new Error('dist holds no code: run `npm run build` first');
  return [...packed.bundled, ...files.filter(foreign)];
}

function linksOut() {
  const linksOf = (file) =>
    [...readFileSync(file, 'utf8').matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)]
      .map(([, link]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => posix.join(posix.dirname(file), decodeURIComponent(link)));
  return shipped
    .filter((path) => /\.(md|txt)$/.test(path))
    .flatMap((file) =>
      linksOf(file)
        .filter((target) => !shipped.includes(target))
        .map((target) => `${file} links to ${target}, which is not in the package`),
    );
}

function outOfDate() {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-llms-'));
  execFileSync(process.execPath, ['.ci/llms.mjs', folder]);
  const stale = ['llms.txt', 'llms-full.txt'].filter(
    (file) =>
      !shipped.includes(file) ||
      readFileSync(file, 'utf8') !== readFileSync(join(folder, file), 'utf8'),
  );
  rmSync(folder, { recursive: true });
  return stale;
}
