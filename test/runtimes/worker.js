// The scenario as a Worker: answers with what failed, or with `yes`.
import { scenario } from './scenario.js';

// biome-ignore lint/style/noDefaultExport: a Worker is the default export of its module
export default {
  async fetch() {
    const outcome = await scenario().then(
      () => 'yes',
      (error) => `no: ${error.stack}`,
    );
    return new Response(outcome);
  },
};
