import { join } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';
import { entries } from './entries.js';
import type { Sample } from './samples.js';

const optionsOfRepository = (): ts.CompilerOptions => {
  const path = join(root, 'tsconfig.json');
  const { config } = ts.readConfigFile(path, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
};

const describe = ({ file, start = 0, messageText }: ts.Diagnostic): string => {
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
  return `line ${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
};

/**
 * What the compiler has to say of each sample under the settings of this repository, in one program
 * for all. The samples are files that nobody has written: next to the sources, so that they find
 * the same packages.
 */
export const compileSamples = (
  samples: readonly Sample[],
): ReadonlyMap<Sample, readonly string[]> => {
  const paths = Object.fromEntries([...entries].map(([name, source]) => [name, [source]]));
  const options: ts.CompilerOptions = { ...optionsOfRepository(), paths };
  const files = new Map(
    samples.map((sample, index) => [join(root, `document-sample-${index}.ts`), sample]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name)?.code ?? readFile(name);
  host.getSourceFile = (name, languageVersion, ...more) => {
    const sample = files.get(name);
    return sample === undefined
      ? getSourceFile(name, languageVersion, ...more)
      : ts.createSourceFile(name, sample.code, languageVersion);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return new Map(
    [...files].map(([name, sample]) => {
      const diagnostics = ts.getPreEmitDiagnostics(program, program.getSourceFile(name));
      return [sample, diagnostics.map(describe)];
    }),
  );
};
