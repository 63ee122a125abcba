// Makes llms.txt, a list of the documents with a sentence each, and llms-full.txt, all of them in
// one Markdown file, for assistants that read the package. Both are part of the package and not of
// the repository; `npm run build` makes them. Usage: node .ci/llms.mjs [folder]     writes to the
// folder, by default that of the repository
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED, SECTIONS, titleOf } from './pages.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const { name, description } = JSON.parse(read('package.json'));
const listed = Object.values(SECTIONS).flat();
// A new document goes to the end until it is listed above.
const others = readdirSync(join(ROOT, 'docs'))
  .map((file) => `docs/${file}`)
  .filter((path) => path.endsWith('.md') && !listed.includes(path));
const sections = {
  ...SECTIONS,
  Further: [...SECTIONS.Further.slice(0, -1), ...others, 'CHANGELOG.md'],
};

const folder = process.argv[2] ?? ROOT;
writeFileSync(join(folder, 'llms.txt'), summary());
writeFileSync(join(folder, 'llms-full.txt'), whole());

function summary() {
  const entry = (path) => `- [${titleOf(read(path), path)}](${path}): ${firstSentenceOf(path)}\n`;
  const parts = Object.entries(sections).map(
    ([title, paths]) => `## ${title}\n\n${paths.map(entry).join('')}`,
  );
  const reference = [...GENERATED.map(entry), '- [API](docs/api/README.md): every exported name\n'];
  const full =
    '- [All of the above in one file](llms-full.txt): Markdown, without the generated reference\n';
  return `# ${name}\n\n> ${description}\n\n${parts.join('\n')}\n## Generated\n\n${reference.join('')}${full}`;
}

function whole() {
  const paths = Object.values(sections).flat();
  const bodies = paths.map((path) => `<!-- ${path} -->\n\n${withRootLinks(path).trim()}\n`);
  return bodies.join('\n');
}

/** The text with links relative to the root of the package. */
function withRootLinks(path) {
  const fromRoot = (link) =>
    /^([a-z]+:|#)/.test(link) ? link : posix.join(posix.dirname(path), link);
  return read(path)
    .replace(/\]\(([^()\s]+(?:\(\))?)\)/g, (_, link) => `](${fromRoot(link)})`)
    .replace(/(?<=\b(?:src|srcset)=")[^"]+/g, fromRoot);
}

function firstSentenceOf(path) {
  const [paragraph = ''] = read(path)
    .split(/\n{2,}/)
    .filter((block) => /^[A-Z`*[]/.test(block));
  const text = paragraph.replaceAll('\n', ' ').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text;
}
