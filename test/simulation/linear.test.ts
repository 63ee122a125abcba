import { expect, test } from 'vitest';
import { isLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { simulateCommands } from './commanding.js';

describeStores('commands of three hosts under crashes, pauses and lost answers', (open) => {
  test('have one order that explains all answers', async () => {
    const { failure } = await simulateCommands(open, isLong ? 1000 : 20);
    expect(failure?.story).toBeUndefined();
  });
});
