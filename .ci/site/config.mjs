// The site of the documents. `site.mjs` puts this file and the pages into a folder, and the menu
// next to it.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const { description, sidebar } = JSON.parse(
  readFileSync(new URL('site.json', import.meta.url), 'utf8'),
);

/** The samples of the API scroll, and its long names break. */
const narrow = `
  .vp-doc pre { overflow-x: auto }
  .vp-doc :is(h1, h2, h3, h4, p, li, td) { overflow-wrap: anywhere }
`;

/** Headings have the ids that GitHub gives them, since links name these. */
const slugify = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export default defineConfig({
  title: 'Colloquy',
  description,
  cleanUrls: true,
  lastUpdated: false,
  outDir: '../out',
  head: [['style', {}, narrow]],
  markdown: { anchor: { slugify }, languageAlias: { conf: 'ini' } },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorial', link: '/chat' },
      { text: 'API', link: '/api/' },
    ],
  },
});
