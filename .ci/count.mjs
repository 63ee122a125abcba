// Adds up the runner's reports of several test runs: what failed, a line for each run, and `N
// passed, N failed` as the last. What failed stands at the end, since of a long log often only the
// end is kept.
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

const missing = { passed: 0, failures: ['there is no report'], skipped: 0 };
const total = { passed: 0, failed: 0 };
for (const file of process.argv.slice(2)) {
  const { passed, failures, skipped } = existsSync(file) ? count(file) : missing;
  const node = basename(file, '.json');
  for (const failure of failures) console.log(`Node ${node}: FAILED ${failure}`);
  console.log(`Node ${node}: ${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  total.passed += passed;
  total.failed += failures.length;
}
console.log(`${total.passed} passed, ${total.failed} failed`);

function count(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  return {
    passed: report.numPassedTests,
    failures: report.testResults.flatMap(failuresIn),
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function failuresIn({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  // A file that cannot be loaded, or whose hooks fail, has failed even if no test of it has.
  if (status === 'failed' && failed.length === 0) return [`${path}: ${firstLine(message)}`];
  return failed.map(describe(path));
}

function describe(path) {
  return ({ fullName, failureMessages: [why] }) => `${path}: ${fullName}: ${firstLine(why)}`;
}

function firstLine(text = '') {
  return text.split('\n', 1)[0].slice(0, 300);
}
