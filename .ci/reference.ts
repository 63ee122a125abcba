// Writes the pages of docs/reference that are made from the code. With `--check`, changes nothing
// and fails if one of them is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { cliReference } from './reference/cli.js';
import { httpReference } from './reference/http.js';
import { optionsReference } from './reference/options.js';

const pages = {
  'docs/reference/cli.md': cliReference(),
  'docs/reference/http.md': httpReference(),
  'docs/reference/options.md': optionsReference(),
};

const isCheck = process.argv.includes('--check');
for (const [path, text] of Object.entries(pages)) {
  if (!isCheck) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${path} is out of date: npm run docs:reference`);
    process.exitCode = 1;
  }
}
