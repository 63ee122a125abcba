import { expect, test } from 'vitest';
import { checkRandomCommits } from '../../src/testing/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';

/** First seed of `npm run test:long`; COLLOQUY_SEED tries others. */
const from = Number(process.env['COLLOQUY_SEED'] ?? 1000);

describeStores('random commits', (open) => {
  test('match the model in every store', async () => {
    const store = await open();
    const subject = { store, second: store, hasStatuses: true };
    const options = { from, sequences: moreIfLong(1, 3000), steps: 60, maxMs: 300_000 };
    const report = await checkRandomCommits(subject, options).then(
      () => 'no difference',
      (error: unknown) => String(error),
    );
    expect(report).toBe('no difference');
  });
});
