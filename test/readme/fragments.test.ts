import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { handbook } from './documents.js';
import { blocksOf } from './samples.js';

/**
 * What can be in a block that is no TypeScript; tests of PostgreSQL run the SQL, and the last four
 * are only read.
 */
const languages = ['ts', 'js', 'json', 'bash', 'sql', 'text', 'mermaid', 'lua', 'conf', 'python'];

describe('code blocks in the documents that are not samples', () => {
  test('are in a checked language', () => {
    const named = handbook.flatMap(({ path, text }) => {
      const opened = [...text.matchAll(/^ *(?:```|~~~)(.*)\n[\s\S]*?^ *(?:```|~~~)$/gm)];
      return opened.map(([, info = '']) => ({ path, info }));
    });
    const known = languages.flatMap((language) =>
      language === 'ts' ? ['ts', 'ts no-run', 'ts parse-only'] : [language],
    );
    expect(named.filter(({ info }) => !known.includes(info))).toEqual([]);
  });

  test.for(blocksOf('json'))('$name is JSON', ({ code }) => {
    expect(() => JSON.parse(code)).not.toThrow();
  });

  test.for(blocksOf('js'))('$name is JavaScript', ({ code }) => {
    const { diagnostics } = ts.transpileModule(code, {
      reportDiagnostics: true,
      fileName: 'block.js',
    });
    expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  });

  // For packages that are not installed here.
  test.for(blocksOf('ts parse-only'))('$name is TypeScript', ({ code }) => {
    const compilerOptions = {
      experimentalDecorators: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
    };
    const { diagnostics } = ts.transpileModule(code, {
      reportDiagnostics: true,
      fileName: 'block.ts',
      compilerOptions,
    });
    expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
  });
});
