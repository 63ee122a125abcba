import { join } from 'node:path';
import ts from 'typescript';
import { root } from './documents.js';

/** The compiler's options of this repository. */
export const optionsOfRepository = (): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options;
};

const parsed = new Map<string, ts.SourceFile | undefined>();

/** Parses each file once for all programs of a process, which takes as long as checking them. */
export const compilerHost = (options: ts.CompilerOptions): ts.CompilerHost => {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...more) => {
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...more));
    return parsed.get(name);
  };
  return host;
};
