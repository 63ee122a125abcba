// Builds the site of the documents into `.ci/.build/site/out`. Pages link to files of the
// repository where $COLLOQUY_REPOSITORY names it, for example https://github.com/owner/name; without
// it, these links are plain text. Usage: npm run site
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { GENERATED, SECTIONS, titleOf } from '../pages.mjs';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const FOLDER = join(ROOT, '.ci/.build/site');
const PAGES = join(FOLDER, 'pages');
const REPOSITORY = process.env['COLLOQUY_REPOSITORY'];
/** Pages that other pages link to, and that are in no section. */
const LINKED = ['SECURITY.md', 'benchmarks/README.md'];

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const within = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((path) => path.endsWith('.md'))
    .map((path) => posix.join(folder, path));

/** Where a page stands on the site. */
const placeOf = (path) =>
  path
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase());

const sections = Object.entries({ ...SECTIONS, Reference: [...SECTIONS.Reference, ...GENERATED] });
const sources = new Set([
  ...sections.flatMap(([, paths]) => paths),
  ...LINKED,
  ...within('docs/api'),
]);
const places = new Map(Array.from(sources, (path) => [path, placeOf(path)]));

/** The link on the site, or undefined if its target is not on it. */
const linkFrom = (path, link) => {
  const [target = '', hash = ''] = link.split(/(?=#)/);
  const from = posix.dirname(placeOf(path));
  const found = target === '' ? path : posix.join(posix.dirname(path), target);
  const place = places.get(found) ?? (/\.(svg|png)$/.test(found) ? found : undefined);
  if (place !== undefined) return `${posix.relative(from, place).replace(/^(?!\.)/, './')}${hash}`;
  return REPOSITORY && `${REPOSITORY}/blob/main/${found}${hash}`;
};

const onSite = (path) =>
  read(path)
    .replace(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g, (link, mark, text, target) => {
      if (/^[a-z]+:/.test(target)) return link;
      const found = linkFrom(path, target);
      return found === undefined ? text : `${mark}[${text}](${found})`;
    })
    .replace(/(?<=\b(?:src|srcset)=")[^"]+/g, (target) => linkFrom(path, target) ?? target);

/**
 * Blocks of code that follow each other and begin with a comment, for example `// Redis`, become
 * tabs. Where there are no tabs, they are still read one after the other.
 */
const inTabs = (text) =>
  text.replace(
    /(?:^```\w[^\n]*\n(?:\/\/|#) [^\n]+\n(?:(?!```)[^\n]*\n)+```\n\n?){2,}/gm,
    (blocks) => {
      const tabs = blocks
        .trim()
        .replace(/^```(\w+)[^\n]*\n(?:\/\/|#) ([^\n]+)\n/gm, '```$1 [$2]\n')
        .replace(/\n{2,}```/g, '\n```');
      return `::: code-group\n\n${tabs}\n\n:::\n\n`;
    },
  );

const write = (place, text) => {
  const file = join(PAGES, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
};

const copyPictures = () => {
  for (const folder of ['docs/pictures', 'benchmarks/pictures'])
    cpSync(join(ROOT, folder), join(PAGES, folder), { recursive: true });
};

const items = (paths) =>
  paths.map((path) => ({
    text: path === 'README.md' ? 'What it is' : titleOf(read(path), path),
    link: `/${placeOf(path).replace(/(index)?\.md$/, '')}`,
  }));

const sidebar = [
  ...sections.map(([text, paths]) => ({ text, items: items(paths) })),
  { text: 'API', link: '/api/' },
];

rmSync(FOLDER, { recursive: true, force: true });
for (const [path, place] of places) write(place, inTabs(onSite(path)));
copyPictures();
const { description } = JSON.parse(read('package.json'));
write('.vitepress/site.json', JSON.stringify({ description, sidebar }));
write('.vitepress/config.mjs', read('.ci/site/config.mjs'));
await build(PAGES);
