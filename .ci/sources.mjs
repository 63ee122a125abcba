/*
 * Lets Node run the sources without a build: `node --import ./.ci/sources.mjs FILE`. TypeScript is
 * compiled by tsx, and files of text are loaded as they are.
 */
import { register } from 'node:module';
import 'tsx';

register('./load-text-file.mjs', import.meta.url);
