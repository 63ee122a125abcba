import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const root = dirname(dirname(import.meta.dirname));

/** A text that users read. */
export interface Document {
  /** Its path from the root, for example `docs/redis.md`. */
  readonly path: string;
  readonly text: string;
}

const documentAt = (path: string): Document => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
});

/** The paths of all files in a folder and below, except what is installed there. */
export const filesWithin = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (!entry.isDirectory()) return [path];
    return entry.name === 'node_modules' ? [] : filesWithin(path);
  });

const documentsWithin = (folder: string): readonly string[] =>
  filesWithin(folder).filter((path) => path.endsWith('.md'));

const own = readdirSync(root).filter((name) => name.endsWith('.md'));
const folders = ['docs', 'examples', 'benchmarks', 'test'].filter((folder) =>
  existsSync(join(root, folder)),
);

/** All of them, those that are made from the doc comments too. */
export const documents: readonly Document[] = [...own, ...folders.flatMap(documentsWithin)]
  .toSorted()
  .map(documentAt);

export const readme: Document = documentAt('README.md');

/** The reference pages that people write. */
export const reference: readonly Document[] = documents.filter(({ path }) =>
  /^docs\/reference\/(?!(?:cli|http|options|sizes)\.md)[^/]+\.md$/.test(path),
);

/** The documents whose samples are compiled and run: those that are not generated. */
export const handbook: readonly Document[] = documents.filter(
  (document) =>
    /^(README|CONTRIBUTING)\.md$/.test(document.path) ||
    /^docs\/(contributing\/)?[^/]+\.md$/.test(document.path) ||
    reference.includes(document),
);

/** One of them by its path. */
export const documentOf = (path: string): Document => {
  const found = documents.find((document) => document.path === path);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found;
};

/** The rows of the table whose head starts with these cells, without the head. */
export const rowsOf = (
  { path, text }: Document,
  ...head: readonly string[]
): readonly (readonly string[])[] => {
  const lines = text.split('\n');
  const first = lines.findIndex((line) =>
    line.replaceAll('`', '').startsWith(`| ${head.join(' | ')} |`),
  );
  if (first < 0) throw new Error(`${path} has no table of ${head.join(', ')}`);
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
};
