import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { mutants } from './mutants.js';
import { canBePlanted, plant } from './plant.js';

/*
 * Plants each bug in turn and runs the tests that should catch it. Prints the test that fails, and
 * ends with 1 if a bug is not caught. Usage: npm run test:planted [-- --only TEXT [--only TEXT …]],
 * with texts of bugs or files.
 */

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [''] } },
});
const chosen = mutants.filter(({ bug, file }) =>
  values.only.some((text) => `${bug} ${file}`.includes(text)),
);
let missed = 0;

for (const mutant of chosen) {
  if (!canBePlanted(mutant)) {
    missed += 1;
    console.log(
      `MISSED  ${mutant.bug}\n        ${mutant.file} does not contain its text exactly once`,
    );
    continue;
  }
  const vitest = await startVitest(
    'test',
    [...mutant.tests],
    { watch: false, bail: 1, reporters: [{}], testTimeout: 20_000, retry: 0 },
    { plugins: [plant(mutant)] },
  );
  const failed = vitest.state
    .getTestModules()
    .flatMap((module) => [...module.children.allTests('failed')].map((test) => test.fullName));
  const broken = vitest.state.getTestModules().filter((module) => module.errors().length > 0);
  await vitest.close();
  const [first] = failed;
  const caught = first ?? broken[0]?.errors()[0]?.message;
  if (caught === undefined) missed += 1;
  console.log(
    `${caught === undefined ? 'MISSED' : 'caught'}  ${mutant.bug}\n        ${caught ?? mutant.tests.join(', ')}`,
  );
}

console.log(`${chosen.length - missed} of ${chosen.length} planted bugs are caught`);
process.exitCode = missed === 0 ? 0 : 1;
