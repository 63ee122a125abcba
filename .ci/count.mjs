// Adds up the runner's reports of several test runs: a line for each, and `N passed, N failed` as the last.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const total = { passed: 0, failed: 0 };
for (const file of process.argv.slice(2)) {
  const { passed, failed, skipped } = existsSync(file) ? count(file) : { passed: 0, failed: 1, skipped: 0 };
  console.log(`Node ${basename(file, '.json')}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  total.passed += passed;
  total.failed += failed;
}
console.log(`${total.passed} passed, ${total.failed} failed`);

function count(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  // A file that cannot be loaded, or whose hooks fail, has failed even if none of its tests has.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
