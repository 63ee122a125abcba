import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { REPOSITORY } from '../../support/packed-package.js';

/**
 * As strict as a user may be whose generators bring a runtime of their own; that of hey-api asks
 * for no more.
 */
const strictest: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: true,
};

const told = ({ file, start = 0, messageText }: ts.Diagnostic): string =>
  `${file?.fileName}:${file?.getLineAndCharacterOfPosition(start).line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;

/** A folder of a user's own, in which the packages of this repository are found. */
export class UserFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'colloquy-generated-'));

  constructor() {
    symlinkSync(join(REPOSITORY, 'node_modules'), join(this.path, 'node_modules'), 'dir');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text);
  }

  /** What the compiler has against these files and all that they import. */
  compile(...names: readonly string[]): readonly string[] {
    const files = names.map((name) => join(this.path, name));
    return ts.getPreEmitDiagnostics(ts.createProgram(files, strictest)).map(told);
  }

  load(name: string): Promise<Readonly<Record<string, unknown>>> {
    return import(/* @vite-ignore */ pathToFileURL(join(this.path, name)).href);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
