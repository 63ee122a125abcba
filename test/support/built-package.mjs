/*
 * Lets a program import the built package under its name, as users do:
 * `node --import ./test/support/built-package.mjs FILE`, with the folder of the package as
 * COLLOQUY_BUILT.
 */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const parentURL = pathToFileURL(`${process.env.COLLOQUY_BUILT}/`).href;
register('./resolve-built-package.mjs', import.meta.url, { data: { parentURL } });
