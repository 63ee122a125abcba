import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findChromium } from './chromium-binary.js';
import { reasonToSkip, requirements } from './requirements.js';

/** A browser for all tests of a suite. */
export interface RunningBrowser {
  /** Available from the first test on. */
  readonly browser: Browser;
}

/** `describe` with a real browser. Reports the suite as skipped if there is no browser. */
export function describeWithChromium(
  name: string,
  define: (running: RunningBrowser) => void,
): void {
  const executablePath = findChromium();
  describe(name, () => {
    if (executablePath === undefined) {
      it.skip(reasonToSkip(requirements.chromium));
      return;
    }
    let browser: Browser | undefined;
    beforeAll(async () => {
      // No sandbox, because root and most containers cannot have one, and only pages of these tests
      // are opened.
      browser = await chromium.launch({
        executablePath,
        headless: true,
        args: ['--no-sandbox', '--disable-quic'],
      });
    });
    afterAll(() => browser?.close());
    define({
      get browser() {
        if (browser === undefined) throw new Error('the browser has not been started');
        return browser;
      },
    });
  });
}
