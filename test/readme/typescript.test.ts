import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { compileSamples, diagnosticsIn, programOf } from './compile.js';
import { namesWithoutExample, optionsWithoutExample } from './doc-coverage.js';
import { type DocExample, docExamples, fromElsewhere } from './doc-examples.js';
import { hoverTexts } from './hover-texts.js';
import { strictMembersOf } from './optional-inputs.js';
import { listenToConsole, SampleFolder } from './run-sample.js';
import { announced, blocksOf, type Sample, usesOfReadme } from './samples.js';

// In one file, since the compiler reads and checks the sources for all of them together.
const samples = [...blocksOf('ts'), usesOfReadme()];
const examples = docExamples();
const folder = new SampleFolder();
afterAll(() => folder.remove());

/** The servers that the examples of a subpath need. */
const servers = [
  { subpath: 'colloquy/redis', server: inject('redis'), requirement: requirements.redis },
  { subpath: 'colloquy/postgres', server: inject('postgres'), requirement: requirements.postgres },
] as const;

const lacking = servers.filter(({ server }) => server === undefined);

/** The examples with their names, which `$name` would cut short. */
const named = (all: readonly DocExample[]) =>
  all.map((example) => [example.name, example] as const);

/** An example may name what it does not use. */
const isUnused = (diagnostic: string): boolean => /never (?:read|used)|are unused/.test(diagnostic);

let compiled: ReturnType<typeof programOf>;
let found: ReturnType<typeof diagnosticsIn>;
beforeAll(() => {
  compiled = programOf<Sample>([...samples, ...examples]);
  found = diagnosticsIn(compiled);
  // Ten seconds of work, for which a busy machine may take as many minutes.
}, 600_000);

const isOfExample = (entry: readonly [string, Sample]): entry is [string, DocExample] =>
  'subpath' in entry[1];

describe('the samples in the documents', () => {
  test.for(samples)('$name compiles', (sample) => {
    expect(found.get(sample)).toEqual([]);
  });

  test('for Next.js compile with the libraries of its projects', () => {
    const lib = ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'];
    const ofNext = samples.filter(({ name }) => name.startsWith('docs/ai-sdk.md'));
    const ofPages = compileSamples(ofNext, { lib: lib.map((name) => `lib.${name}.d.ts`) });
    expect([...ofPages.values()].flat()).toEqual([]);
  });
});

describe('the examples in doc comments', () => {
  test('exist for each class, function and method', () => {
    expect(namesWithoutExample()).toEqual([]);
  });

  test('exist for each option', () => {
    const files = new Map([...compiled.files].filter(isOfExample));
    expect(optionsWithoutExample(compiled.program, files)).toEqual([]);
  });

  test('have 1 to 8 lines', () => {
    const long = examples.filter(({ lines }) => lines > 8);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  test.for(named(examples))('%s compiles', ([, example]) => {
    expect(found.get(example)?.filter((each) => !isUnused(each))).toEqual([]);
  });

  const runnable = examples.filter(({ runs }) => runs);
  const here = runnable.filter((each) => !lacking.some(({ subpath }) => each.subpath === subpath));

  test.for(named(here))('%s runs, and prints what it says', async ([, example]) => {
    const lines = listenToConsole();
    vi.spyOn(console, 'info').mockReturnValue();
    const failures = vi.spyOn(console, 'error').mockReturnValue();
    await folder.run(fromElsewhere(example));
    expect(lines).toEqual(announced(example));
    expect(failures.mock.calls).toEqual([]);
  });

  for (const { requirement } of lacking) test.skip(reasonToSkip(requirement));
});

describe("the editor's hover texts of public names", () => {
  let texts: ReadonlyMap<string, string>;
  beforeAll(() => {
    texts = hoverTexts(compiled.program);
  });

  test('cover options, fields and methods', () => {
    expect(texts.get('colloquy: CreateSessionInput.timeLimit')).toContain('seconds');
    expect(texts.get('colloquy: SessionService.start')).toContain('IDLE to ACTIVE');
    expect(texts.get('colloquy: InvalidInput.message')).toBeTruthy();
    for (const field of ['id', 'status', 'endReason', 'history'])
      expect(texts.get(`colloquy: Session.${field}`)).toBeTruthy();
    expect(texts.size).toBeGreaterThan(500);
  });

  test('exist for each of them', () => {
    expect([...texts].filter(([, text]) => text === '').map(([name]) => name)).toEqual([]);
  });
});

test('every optional member of an argument accepts an explicit undefined', () => {
  expect(strictMembersOf(compiled.program)).toEqual([]);
});
