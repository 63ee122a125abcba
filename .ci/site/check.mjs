// Opens every page of the built site in Chromium, light and wide, and dark and narrow. Each must
// load without an error and fit the screen, each link must lead to a page and a heading, and the
// search must find a page. Usage: npm run site && npm run site:check
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const SITE = fileURLToPath(new URL('../.build/site/out', import.meta.url));
const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const SCREENS = [
  { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 390, height: 780 } },
];

const faults = [];
const expect = (holds, fault) => {
  if (!holds) faults.push(fault);
};

/** What a page links to, which headings it has, and whether it fits. */
const inspect = () => ({
  links: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  tooWide: document.documentElement.scrollWidth - window.innerWidth,
});

/** Serves the site as static hosts do: `/chat` is `chat.html`. */
const serve = async () => {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, 'http://127.0.0.1');
    const path = join(SITE, decodeURIComponent(pathname));
    const file = [join(path, 'index.html'), `${path}.html`, path].find(existsSync);
    const headers = { 'Content-Type': TYPES[extname(file ?? '')] ?? 'application/octet-stream' };
    if (file === undefined) response.writeHead(404).end();
    else response.writeHead(200, headers).end(readFileSync(file));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${server.address().port}`;
};

const inspectOn = async (page, path, { colorScheme, viewport }) => {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  await page.waitForFunction(
    (isDark) => document.documentElement.classList.contains('dark') === isDark,
    colorScheme === 'dark',
  );
  const found = await page.evaluate(inspect);
  expect(found.tooWide <= 0, `${path}: ${found.tooWide} pixels wider than ${viewport.width}`);
  return found;
};

/** Visits all pages that can be reached from the first. Returns their number. */
const visitAll = async (page, origin) => {
  const idsOf = new Map();
  const links = [];
  const waiting = ['/'];
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`));
  while (waiting.length > 0) {
    const path = waiting.shift();
    if (idsOf.has(path)) continue;
    const response = await page.goto(`${origin}${path}`);
    expect(response.status() === 200, `${path}: ${response.status()}`);
    for (const screen of SCREENS) {
      const { ids, links: found } = await inspectOn(page, path, screen);
      idsOf.set(path, new Set(ids));
      const own = found.map((href) => new URL(href)).filter((link) => link.origin === origin);
      links.push(...own.map((link) => ({ from: path, link })));
      waiting.push(...own.map(({ pathname }) => pathname));
    }
  }
  for (const { from, link } of links) {
    const id = decodeURIComponent(link.hash.slice(1));
    const isFound = id === '' || idsOf.get(link.pathname)?.has(id);
    expect(isFound, `${from}: ${link.pathname} has no ${link.hash}`);
  }
  return idsOf.size;
};

const searchFor = async (page, origin, text) => {
  await page.goto(origin);
  await page.locator('#local-search button').click();
  await page.locator('.VPLocalSearchBox input').fill(text);
  const first = page.locator('.VPLocalSearchBox .result').first();
  await first.waitFor();
  return first.innerText();
};

const origin = await serve();
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage();
console.log(`${await visitAll(page, origin)} pages, light and dark, wide and narrow`);
await page.setViewportSize(SCREENS[0].viewport);
const found = await searchFor(page, origin, 'time limit');
expect(/limit/i.test(found), `the search for "time limit" finds ${found}`);
console.log(`the search for "time limit" finds ${found.replaceAll('\n', ' ')}`);
await browser.close();
for (const fault of new Set(faults)) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
