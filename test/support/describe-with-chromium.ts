import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findChromium } from './chromium-binary.js';
import { reasonToSkip, requirements } from './requirements.js';

/** A browser that starts with the suite and ends with it. */
export interface RunningBrowser {
  /** From the first test on. */
  readonly browser: Browser;
}

/**
 * `describe` for what needs a real browser: gives one of its own, or skips in plain sight where
 * there is none.
 */
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
      // Without a sandbox, which root and most containers cannot have: it opens pages of these
      // tests alone.
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
