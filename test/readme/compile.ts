import { join } from 'node:path';
import ts from 'typescript';
import { compilerHost, optionsOfRepository } from './compiler-host.js';
import { root } from './documents.js';
import { entries } from './entries.js';
import type { Sample } from './samples.js';

const describe = ({ file, start = 0, messageText }: ts.Diagnostic): string => {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
};

/** Those of libsql are a copy of them. */
const driverTypes = ['@types/better-sqlite3', 'libsql/types'].map((name) =>
  join(root, 'node_modules', name, 'index.d.ts'),
);

/** A program, and the samples in it by the names of their files. */
interface SampleProgram<S extends Sample> {
  readonly program: ts.Program;
  readonly files: ReadonlyMap<string, S>;
}

/**
 * One program of all samples and entries under the settings of this repository. They are files that nobody has
 * written: next to the sources, so that they find the same packages.
 */
export const programOf = <S extends Sample>(
  samples: readonly S[],
  more: ts.CompilerOptions = {},
): SampleProgram<S> => {
  const sources = [...entries].map(([name, source]) => [name, [source]] as const);
  const paths = Object.fromEntries([...sources, ['better-sqlite3', driverTypes]]);
  const options: ts.CompilerOptions = { ...optionsOfRepository(), paths, ...more };
  const files = new Map(
    samples.map((sample, index) => [join(root, `document-sample-${index}.ts`), sample]),
  );
  const host = compilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name)?.code ?? readFile(name);
  host.getSourceFile = (name, languageVersion, ...more) => {
    const sample = files.get(name);
    return sample === undefined
      ? getSourceFile(name, languageVersion, ...more)
      : ts.createSourceFile(name, sample.code, languageVersion);
  };
  const roots = [...files.keys(), ...entries.values()];
  return { program: ts.createProgram(roots, options, host), files };
};

/** What the compiler reports for each sample. */
export const diagnosticsIn = ({
  program,
  files,
}: SampleProgram<Sample>): ReadonlyMap<Sample, readonly string[]> =>
  new Map(
    [...files].map(([name, sample]) => {
      const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(name));
      return [sample, diagnostics.map(describe)];
    }),
  );

/** The same of samples that are in no program yet. */
export const compileSamples = (
  samples: readonly Sample[],
  more?: ts.CompilerOptions,
): ReadonlyMap<Sample, readonly string[]> => diagnosticsIn(programOf(samples, more));
