import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf, root, rowsOf } from './documents.js';
import { filesOf, occurrencesOf, type Prose, proseOfCode, proseOfPages } from './prose.js';

/** The names that the table of terms does without. */
const refused = rowsOf(documentOf('CONTRIBUTING.md'), 'Term', 'Means', 'Not').flatMap(
  ([, , names = '']) => names.split(', ').filter((name) => name !== ''),
);

/** The code without its comments. */
const codeOf = (path: string): string =>
  readFileSync(join(root, path), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*(\/\/|--).*$/gm, '');

describe("the project's terms", () => {
  test('exclude several names', () => {
    expect(refused.length).toBeGreaterThan(5);
  });

  test('are the ones that the code uses', () => {
    const form = new RegExp(`\\b(${refused.join('|')})\\b`, 'g');
    const found = ['src', 'adapters']
      .flatMap(filesOf)
      .filter((path) => /\.(ts|lua|sql)$/.test(path))
      .flatMap((path) => [...codeOf(path).matchAll(form)].map(([name]) => `${path}: ${name}`));
    expect(found).toEqual([]);
  });
});

/** The types of errors, except those that are ordinary words too, for example `conflict`. */
const errorTypes = [
  ...new Set(
    readdirSync(join(root, 'src/session'))
      .filter((name) => name.endsWith('-errors.ts'))
      .flatMap((name) => [...codeOf(join('src/session', name)).matchAll(/type: '(\w+)'/g)])
      .map(([, type = '']) => type)
      .filter((type) => type.includes('_') || type === 'misconfigured'),
  ),
];

interface Rule {
  readonly pattern: string;
  readonly instead: string;
  /** Where the word is a term: "beside" a limit that a benchmark measures. */
  readonly except?: RegExp;
}

/** The benchmarks compare calls "by hand", and show peers "beside" one another. */
const benchmarks = /^(?:benchmarks|test\/benchmarks)\//;

const rules: readonly Rule[] = [
  { pattern: String.raw`\bat once\b`, instead: '"immediately" or "concurrently"' },
  { pattern: String.raw`\bmeanwhile\b`, instead: '"in the meantime", "since then", "during it"' },
  {
    pattern: String.raw`\bbeside\b`,
    instead: '"next to", "in addition to" or "except"',
    except: benchmarks,
  },
  { pattern: String.raw`\bby hand\b`, instead: 'who does it', except: benchmarks },
  { pattern: String.raw`\banother one\b`, instead: 'the noun again' },
  { pattern: String.raw`\bthe other ones?\b`, instead: 'the noun again' },
  { pattern: String.raw`\bany more\b(?= *[.,:;'"*|]| *$)`, instead: '"no longer"' },
  { pattern: String.raw`\bif need be\b`, instead: '"if necessary"' },
  { pattern: String.raw`\bone that is none\b`, instead: 'what it is' },
  { pattern: String.raw`\bof the moment\b`, instead: '"current"' },
  {
    pattern: String.raw`\b(?:ends?|ended) by the clock\b`,
    instead: '"expiry" or "expired"',
    // The promises name saved figures.
    except: /^test\/faults\//,
  },
  { pattern: String.raw`^#+ Of\b`, instead: 'a heading that people search for' },
  { pattern: String.raw`\d %`, instead: '"80%"', except: benchmarks },
  {
    pattern: String.raw`\b(?:is|are|be|gets) \`(?:${errorTypes.join('|')})\``,
    instead: '"fails with" or "returns"',
  },
];

/** Words that the pages no longer contain, and the code still does. */
const rulesOfPages: readonly Rule[] = [
  { pattern: String.raw`\bsuch as\b`, instead: '"for example" or "like"', except: benchmarks },
];

const offences = (prose: readonly Prose[], checked: readonly Rule[]): readonly string[] =>
  checked.flatMap(({ pattern, instead, except }) =>
    occurrencesOf(
      pattern,
      prose.filter(({ path }) => except === undefined || !except.test(path)),
    ).map((found) => `${found} (write ${instead})`),
  );

describe('discouraged words', () => {
  test('are found, even across the lines of a comment', () => {
    const prose = [
      { path: 'a.ts', line: 3, text: '/**\n * It ends at\n * once, `x` is `not_found`.\n */' },
      { path: 'b.md', line: 1, text: '# Title\n\n## Of leases' },
    ];
    expect(offences(prose, rules)).toEqual([
      'a.ts:4: at once (write "immediately" or "concurrently")',
      'b.md:3: ## Of (write a heading that people search for)',
      'a.ts:5: is `not_found` (write "fails with" or "returns")',
    ]);
  });

  test('are in no page', () => {
    expect(offences(proseOfPages(), [...rules, ...rulesOfPages])).toEqual([]);
  });

  test('are in no comment, test name or message', () => {
    const folders = ['.ci', 'adapters', 'benchmarks', 'examples', 'src', 'test'];
    // The rules themselves contain the words.
    const own = proseOfCode(...folders).filter(({ path }) => !path.endsWith('/terms.test.ts'));
    expect(offences(own, rules)).toEqual([]);
  });
});
