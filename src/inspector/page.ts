/** The page as the build has put it together. */
export interface Page {
  /** One document, with its style and its script in it. */
  readonly html: string;
  /** The sources that its Content-Security-Policy allows, such as `'sha256-...'`: the script, and the style. */
  readonly script: string;
  readonly style: string;
}

/** Stands for the page in `page/`, which `.ci/inspector-page.ts` bundles into this module's place. */
export const page: Page = {
  html: '<!doctype html><title>Colloquy</title><body>This page was not built.',
  script: "'none'",
  style: "'none'",
};
