import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { diagnosticsIn, programOf } from './compile.js';
import { namesWithoutExample, optionsWithoutExample } from './doc-coverage.js';
import { type DocExample, docExamples, fromElsewhere } from './doc-examples.js';
import { listenToConsole, SampleFolder } from './run-sample.js';
import { announced } from './samples.js';

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

describe('the examples in doc comments', () => {
  let compiled: ReturnType<typeof programOf<DocExample>>;
  let found: ReturnType<typeof diagnosticsIn>;
  beforeAll(() => {
    compiled = programOf(examples);
    found = diagnosticsIn(compiled);
  });

  test('exist for each class, function and method', () => {
    expect(namesWithoutExample()).toEqual([]);
  });

  test('exist for each option', () => {
    expect(optionsWithoutExample(compiled.program, compiled.files)).toEqual([]);
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
