import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../support/packed-package.js';

/** The jobs of the workflow that publishes, by their names. */
const jobsOf = async (): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(join(REPOSITORY, '.github', 'workflows', 'release.yml'), 'utf8');
  const [, ...parts] = (text.split(/^jobs:$/m)[1] ?? '').split(/^ {2}(?=\w+:$)/m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf(':')), part]));
};

test('the job that may request an identity token publishes a tarball, and runs no code of ours or of a dependency', async () => {
  const jobs = await jobsOf();
  const trusted = [...jobs].filter(([, job]) => job.includes('id-token: write'));
  expect(trusted.map(([name]) => name)).toEqual(['publish']);
  const [[, publish = ''] = []] = trusted;
  expect([...publish.matchAll(/^ {6}- run: (.+)$/gm)].map(([, command]) => command)).toEqual([
    'npm publish ./package/*.tgz --provenance --access public --ignore-scripts',
  ]);
  expect(publish).not.toMatch(/actions\/checkout|contents: write|npm (ci|install|run)/);
});

test('jobs that build or test the package may only read', async () => {
  const build = (await jobsOf()).get('build') ?? '';
  expect(build).toContain('.ci/run');
  expect([...build.matchAll(/^ {6}(\S+: \S+)$/gm)].map(([, right]) => right)).toEqual([
    'contents: read',
  ]);
});
