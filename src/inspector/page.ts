/** The page that the build creates. */
export interface Page {
  /** One document that contains its style and its script. */
  readonly html: string;
  /**
   * Sources of the script and the style for the Content-Security-Policy, like `'sha256-...'`.
   */
  readonly script: string;
  readonly style: string;
}

/**
 * A placeholder. The build replaces this module with the bundled page of `page/`, see
 * `.ci/inspector-page.ts`.
 */
export const page: Page = {
  html: '<!doctype html><title>Colloquy</title><body>This page was not built.',
  script: "'none'",
  style: "'none'",
};
