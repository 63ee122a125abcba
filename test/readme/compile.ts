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

const pageOf = ({ name }: Sample): string | undefined => name.split(':')[0];

/** The name of the file that a sample shows, without its extension. */
const fileOf = ({ code }: Sample): string | undefined => /^\/\/ (\S+)\.m?ts\n/.exec(code)?.[1];

/** The code of a sample, whose imports of other files of its page lead to their samples. */
const linkedCode = (sample: Sample, samples: readonly Sample[]): string =>
  sample.code.replace(/from '\.\/([\w-]+)\.m?js'/g, (unchanged, file: string) => {
    const index = samples.findIndex(
      (other) => pageOf(other) === pageOf(sample) && fileOf(other) === file,
    );
    return index < 0 ? unchanged : `from './document-sample-${index}.js'`;
  });

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
  const codes = new Map([...files].map(([name, one]) => [name, linkedCode(one, samples)]));
  const host = compilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => codes.has(name) || fileExists(name);
  host.readFile = (name) => codes.get(name) ?? readFile(name);
  host.getSourceFile = (name, languageVersion, ...more) => {
    const code = codes.get(name);
    return code === undefined
      ? getSourceFile(name, languageVersion, ...more)
      : ts.createSourceFile(name, code, languageVersion);
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
