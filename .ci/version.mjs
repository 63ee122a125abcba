// Makes the next version of what .changeset holds: in the manifest and the lock file, in
// CONTRIBUTING, and in the changelog, where what stands under "Unreleased" becomes the version's
// own part. Usage: node .ci/version.mjs     or, for the notes of the version that the manifest has:
// node .ci/version.mjs --notes
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]\n';

const read = (file) => readFileSync(file, 'utf8');
const version = () => JSON.parse(read('package.json')).version;

if (process.argv.includes('--notes')) {
  const notes = partOf(version());
  if (notes === undefined) throw new Error(`${CHANGELOG} has no part for ${version()}`);
  console.log(notes);
} else {
  const before = version();
  execFileSync('npx', ['--no-install', 'changeset', 'version'], { stdio: 'inherit' });
  const after = version();
  if (after === before) throw new Error('.changeset holds nothing that makes a version');
  execFileSync(
    'npm',
    ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    {
      stdio: 'inherit',
    },
  );
  const changelog = read(CHANGELOG);
  if (partOf('Unreleased') === '') throw new Error(`${CHANGELOG} says nothing under Unreleased`);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(
    CHANGELOG,
    changelog.replace(UNRELEASED, `${UNRELEASED}\n## [${after}] - ${today}\n`),
  );
  writeFileSync(
    'CONTRIBUTING.md',
    read('CONTRIBUTING.md').replaceAll(`colloquy-${before}.tgz`, `colloquy-${after}.tgz`),
  );
}

// What stands under the heading of a version, without the heading.
function partOf(name) {
  const parts = read(CHANGELOG).split(/^(?=## \[)/m);
  const part = parts.find((text) => text.startsWith(`## [${name}]`));
  return part?.slice(part.indexOf('\n')).trim();
}
