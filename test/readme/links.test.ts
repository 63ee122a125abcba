import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Document, documents, root } from './documents.js';

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

describe('links in the documents', () => {
  test.for(documents)('of $path resolve', (document) => {
    expect(linksOf(document.text).flatMap((link) => faultOf(document, link) ?? [])).toEqual([]);
  });
});
