import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Document, documentOf, documents, filesWithin, root, rowsOf } from './documents.js';

const withoutCode = (text: string): string =>
  text.replace(/^( *)(`{3,})[^\n]*\n[\s\S]*?^\1\2$/gm, '');

/** What GitHub makes of headings, and what authors place. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const met = new Map<string, number>();
  const headings = [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const before = met.get(slug) ?? 0;
    met.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
  const placed = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...placed]);
};

const anchors = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));

const linksOf = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/\]\(([^()\s]+(?:\(\))?)\)/g)].map(([, link = '']) => link);

/** What is wrong with a link of a document, if anything is. */
const faultOf = ({ path }: Document, link: string): string | undefined => {
  if (/^[a-z]+:/.test(link))
    return link.startsWith('https://') ? undefined : `${link} is not https`;
  const [file = '', anchor] = decodeURIComponent(link).split('#');
  const target = file === '' ? path : posix.join(posix.dirname(path), file);
  if (target.startsWith('..') || !existsSync(join(root, target))) return `${link} leads nowhere`;
  if (anchor === undefined) return undefined;
  return anchors.get(target)?.has(anchor) ? undefined : `${link}: no such heading`;
};

const { files }: { readonly files: readonly string[] } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** Whether the package contains a file. npm adds the README and the licence. */
const isPacked = (path: string): boolean => {
  if (/^(?:README\.md|LICENSE)$/.test(path)) return true;
  const isNamed = (pattern: string) => `${path}/`.startsWith(`${pattern.replace('!', '')}/`);
  return files.findLast(isNamed)?.startsWith('!') === false;
};

const packed = documents.filter(({ path }) => isPacked(path));

const targetsOf = ({ path, text }: Document): readonly string[] =>
  linksOf(text)
    .map((link) => decodeURIComponent(link.split('#')[0] ?? ''))
    .filter((file) => file !== '' && !/^[a-z]+:/.test(file))
    .map((file) => posix.join(posix.dirname(path), file));

/** The paths of the repository that a page names without a link. */
const namedIn = (text: string): readonly string[] =>
  [
    ...withoutCode(text).matchAll(
      /`((?:benchmarks|docs|examples|test|\.github)\/(?!api\b)[\w./-]+)`/g,
    ),
  ].map(([, path = '']) => path);

/** Pages about the code name its files, some with a part of their path; `*` stands for some text. */
const aboutCode = documents.filter(({ path }) =>
  /^(?:docs\/contributing|benchmarks|test)\//.test(path),
);

const codeNamedIn = (text: string): readonly string[] =>
  [...withoutCode(text).matchAll(/`([\w*./-]*\w\.(?:ts|lua|sql|mjs))`/g)].map(
    ([, path = '']) => path,
  );

const code = ['src', 'adapters', 'test', 'benchmarks', 'examples', '.ci'].flatMap(filesWithin);

const isCode = (name: string): boolean => {
  const text = name.replaceAll('.', '\\.').replaceAll('*', '.*');
  const pattern = new RegExp(`(?:^|/)${text}$`);
  return code.some((path) => pattern.test(path));
};

describe('links in the documents', () => {
  test.for(documents)('of $path resolve', (document) => {
    expect(linksOf(document.text).flatMap((link) => faultOf(document, link) ?? [])).toEqual([]);
  });

  test.for(packed)('of $path lead to files of the package', (document) => {
    expect(targetsOf(document).filter((target) => !isPacked(target))).toEqual([]);
  });

  test.for(aboutCode)('of $path name only files of the code that exist', ({ text }) => {
    expect(codeNamedIn(text).filter((name) => !isCode(name))).toEqual([]);
  });

  test.for(documents)('of $path name only paths that exist', ({ text }) => {
    expect(namedIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('in the table of promises name test files that exist', () => {
    const rows = rowsOf(documentOf('docs/guarantees.md'), 'Promise', 'Condition', 'Tests');
    const named = rows.flatMap(
      ([, , cell = '']) => cell.match(/\w+(?:\/[\w-]+)+(?:\.\w+)?/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(20);
    const missing = named.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)));
    expect(missing).toEqual([]);
  });
});
