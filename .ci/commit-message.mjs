// Checks that the subjects of commits say `area: imperative` in at most 72 characters.
// Usage: node .ci/commit-message.mjs FILE         the message in a file: the hook of Git
//        node .ci/commit-message.mjs              the new commits of this clone: `.ci/run`
//        node .ci/commit-message.mjs --install    lets Git run the hook: `npm install` in a clone
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_LENGTH = 72;
const SCRIPT = '.ci/commit-message.mjs';
const HOOKS = '.githooks';
const root = realpathSync(dirname(dirname(fileURLToPath(import.meta.url))));

const foldersIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Areas that are not folders of the code. */
const FURTHER_AREAS = [
  'adapters',
  'bench',
  'benchmarks',
  'build',
  'ci',
  'contributing',
  'deps',
  'docs',
  'examples',
  'github',
  'package',
  'release',
  'spelling',
  'test',
  'types',
  'worker',
];
const areas = new Set([...['src', 'adapters', 'test'].flatMap(foldersIn), ...FURTHER_AREAS]);

/** Imperatives that look like another form of a verb. */
const IMPERATIVES = new Set(
  'address alias bring bypass discuss embed exceed feed focus need pass proceed process ring seed shed string succeed'.split(
    ' ',
  ),
);

/** "added", "adding" and "adds" for "add". */
const isOtherForm = (verb) => !IMPERATIVES.has(verb) && /(?:ed|ing|[^s]s)$/.test(verb);

const faultsOf = (message) => {
  const [subject = '', second = ''] = message.trimStart().split('\n');
  // GitHub appends the number of a pull request that it squashes.
  const written = subject.replace(/ \(#\d+\)$/, '').trimEnd();
  const parts = /^(?<area>[a-z-]+)(?:\((?<part>[a-z-]+)\))?: (?<verb>\S+)/.exec(written)?.groups;
  const faults = [];
  if (parts === undefined) faults.push('the form is `area: imperative`');
  for (const area of [parts?.area, parts?.part])
    if (area !== undefined && !areas.has(area))
      faults.push(`\`${area}\` is no area: use ${[...areas].toSorted().join(', ')}`);
  // Dependabot writes these.
  if (parts?.area === 'deps') return faults;
  if (parts !== undefined && !/^[a-z]/.test(parts.verb))
    faults.push('begin with a lower-case verb after the colon');
  if (parts !== undefined && isOtherForm(parts.verb))
    faults.push(`\`${parts.verb}\` is no imperative: "add", not "added", "adding" or "adds"`);
  if (written.length > MAX_LENGTH)
    faults.push(`${written.length} characters: use at most ${MAX_LENGTH}`);
  if (written.endsWith('.')) faults.push('leave out the full stop');
  if (second.trim() !== '') faults.push('leave the second line empty');
  return faults;
};

const report = (message) => {
  const faults = faultsOf(message);
  if (faults.length === 0) return;
  console.error([message.trimStart().split('\n')[0], ...faults].join('\n  '));
  process.exitCode = 1;
};

/** The output of Git in this clone; undefined if Git fails, is not installed, or finds no clone. */
const git = (...args) => {
  try {
    // In a container, the clone may belong to another user.
    const options = ['-C', root, '-c', `safe.directory=${root}`];
    const stdio = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', [...options, ...args], { encoding: 'utf8', stdio }).trim();
  } catch {
    return undefined;
  }
};

/** Whether the root is a clone, and not a copy of the files inside another clone. */
const isClone = () => {
  const top = git('rev-parse', '--show-toplevel');
  return top !== undefined && realpathSync(top) === root;
};

/** The message that is about to be committed, without the lines that Git drops. */
const checkFile = (file) => {
  const message = readFileSync(file, 'utf8')
    .replace(/^# -+ >8 -+$[\s\S]*/m, '')
    .replace(/^#.*\n?/gm, '');
  // Git makes merges and reverts, and will fold the others into their commits.
  if (/^\s*(?:Merge|Revert|fixup!|squash!|amend!) ?/.test(message) || message.trim() === '') return;
  report(message);
};

/**
 * The commits that are not on the main branch of the remote yet, were made after the last version,
 * and after this script came. In a shallow clone its first commit is the one that added everything.
 */
const checkNewCommits = () => {
  const ends = [
    git('log', '--max-count=1', '--diff-filter=A', '--format=%H', '--', SCRIPT),
    git('describe', '--tags', '--abbrev=0', '--match=v*'),
    git('rev-parse', '--verify', '--quiet', 'refs/remotes/origin/main'),
  ].filter((end) => end !== undefined && end !== '');
  if (!isClone() || ends.length === 0) return console.log('no commits to check');
  const log = git('log', '--no-merges', '-z', '--format=%B', 'HEAD', '--not', ...ends) ?? '';
  const messages = log.split('\0').filter((message) => message.trim() !== '');
  messages.filter((message) => !message.startsWith('Revert "')).forEach(report);
  console.log(`${messages.length} new commits checked`);
};

/** A failure must not stop an installation, and the user may have chosen another hooks path. */
const install = () => {
  if (process.env.CI !== undefined || !isClone()) return;
  if (git('config', 'core.hooksPath') === undefined) git('config', 'core.hooksPath', HOOKS);
};

const [argument] = process.argv.slice(2);
if (argument === '--install') install();
else if (argument === undefined) checkNewCommits();
else checkFile(argument);
