import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { REPOSITORY } from '../support/packed-package.js';
import { reasonToSkip, requirements } from '../support/requirements.js';

const SCRIPT = '.ci/commit-message.mjs';

/** Without what a hook that runs these tests has set, and without the settings of the machine. */
const environment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'colloquy-commits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A copy of the files of the check, outside a clone. */
const copyOfProject = (folder: string): string => {
  for (const path of [SCRIPT, '.githooks']) {
    cpSync(join(REPOSITORY, path), join(folder, path), { recursive: true });
  }
  for (const path of ['src/session', 'adapters/redis', 'test/http']) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, 'index.ts'), '');
  }
  return folder;
};

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-C', folder, ...args], {
    encoding: 'utf8',
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

const commit = (folder: string, message: string): string =>
  git(
    folder,
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    'commit',
    '--allow-empty',
    '--message',
    message,
  );

/** A clone whose first commits are older than the check. */
const cloneOfProject = (): string => {
  const folder = temporaryFolder();
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder, 'An old commit, before there were areas.');
  copyOfProject(folder);
  git(folder, 'add', '.');
  commit(folder, 'The check comes.');
  return folder;
};

const runIn = (folder: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, SCRIPT), ...args], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
};

/** What the hook of Git says of a message. */
const check = (message: string) => {
  const file = join(temporaryFolder(), 'COMMIT_EDITMSG');
  writeFileSync(file, message);
  return runIn(REPOSITORY, file);
};

describe('a commit message', () => {
  test.each([
    'redis: compute call outcomes in one place',
    'test(redis): process wakes in order\n\nThe order was that of the keys.\n',
    'docs: show response bodies in http.md (#12)',
    `docs: ${'x'.repeat(66)}`,
    'sqlite: embed the schema\n# Please enter the commit message.\n',
    'deps: Bump the development group across 1 directory with 12 very long updates',
    'fixup! redis: compute call outcomes in one place',
    'Merge branch main into leases',
    'Revert "redis: compute call outcomes in one place"',
    '# nothing but a comment: Git ends the commit\n',
  ])('is accepted: %j', (message) => {
    expect(check(message)).toEqual({ status: 0, output: '' });
  });

  test.each([
    ['wip', 'the form is `area: imperative`'],
    ['cache: keep sessions', '`cache` is no area'],
    ['test(cache): keep sessions', '`cache` is no area'],
    ['redis: Compute outcomes', 'begin with a lower-case verb'],
    ['redis: computed outcomes', '`computed` is no imperative'],
    ['redis: computing outcomes', '`computing` is no imperative'],
    ['redis: computes outcomes', '`computes` is no imperative'],
    ['redis: compute outcomes.', 'leave out the full stop'],
    [`docs: ${'x'.repeat(67)}`, '73 characters: use at most 72'],
    ['redis: compute\noutcomes', 'leave the second line empty'],
  ])('is rejected: %j, because %s', (message, reason) => {
    const { status, output } = check(message);
    expect(status).toBe(1);
    expect(output).toContain(reason);
  });
});

const withGit = describe.skipIf(!requirements.git.isMet());
if (!requirements.git.isMet()) test.skip(reasonToSkip(requirements.git));

withGit('the commits of a clone', () => {
  test('are not checked if they are older than the check', () => {
    expect(runIn(cloneOfProject())).toEqual({ status: 0, output: '0 new commits checked\n' });
  });

  test('are checked from the check on, and each bad subject is listed', () => {
    const folder = cloneOfProject();
    for (const message of ['wip', 'redis: keep sessions', 'Formatted']) commit(folder, message);
    const { status, output } = runIn(folder);
    expect(status).toBe(1);
    expect(output.match(/^\S.*$/gm)).toEqual(['3 new commits checked', 'Formatted', 'wip']);
  });

  test('are not checked again after their version was tagged or merged into main', () => {
    const folder = cloneOfProject();
    commit(folder, 'wip');
    git(folder, 'tag', 'v0.2.0');
    commit(folder, 'redis: keep sessions');
    expect(runIn(folder)).toEqual({ status: 0, output: '1 new commits checked\n' });
    git(folder, 'update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(runIn(folder)).toEqual({ status: 0, output: '0 new commits checked\n' });
  });

  test('are checked in a shallow clone as far as it reaches', () => {
    const folder = cloneOfProject();
    for (const message of ['wip', 'redis: keep sessions', 'test: keep sessions'])
      commit(folder, message);
    const shallow = join(temporaryFolder(), 'shallow');
    git(folder, 'clone', '--quiet', '--depth=2', `file://${folder}`, shallow);
    git(shallow, 'update-ref', '-d', 'refs/remotes/origin/main');
    expect(runIn(shallow)).toEqual({ status: 0, output: '1 new commits checked\n' });
  });

  test('are not searched for in a copy of the files, even inside another clone', () => {
    const outside = copyOfProject(temporaryFolder());
    expect(runIn(outside)).toEqual({ status: 0, output: 'no commits to check\n' });
    const clone = cloneOfProject();
    commit(clone, 'wip');
    expect(runIn(copyOfProject(join(clone, 'vendor')))).toEqual({
      status: 0,
      output: 'no commits to check\n',
    });
  });
});

withGit("the hook that npm's dependencies script installs", () => {
  test('lets Git reject a bad subject', () => {
    const folder = cloneOfProject();
    expect(runIn(folder, '--install')).toEqual({ status: 0, output: '' });
    expect(() => commit(folder, 'wip')).toThrow('the form is `area: imperative`');
    expect(commit(folder, 'redis: keep sessions')).toContain('redis: keep sessions');
  });

  test('keeps hooks that the user has configured', () => {
    const folder = cloneOfProject();
    git(folder, 'config', 'core.hooksPath', '/home/ada/hooks');
    expect(runIn(folder, '--install').status).toBe(0);
    expect(git(folder, 'config', 'core.hooksPath')).toBe('/home/ada/hooks');
  });

  test('succeeds without a clone, and leaves the clone around a copy alone', () => {
    expect(runIn(copyOfProject(temporaryFolder()), '--install')).toEqual({ status: 0, output: '' });
    const clone = cloneOfProject();
    expect(runIn(copyOfProject(join(clone, 'vendor')), '--install').status).toBe(0);
    expect(() => git(clone, 'config', 'core.hooksPath')).toThrow();
  });
});
