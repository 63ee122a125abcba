import type { HandlerResponse } from '../http/index.js';
import { page } from './page.js';
import { withSecurityHeaders } from './responses.js';

/** The data that the HTML of the page contains; the page requests all other data. */
export interface PageFacts {
  readonly tenant: string;
  readonly events: boolean;
  readonly write: boolean;
}

/**
 * Allows only the page's own script and style, and requests to its own origin. No site may frame
 * the page.
 */
const policy = [
  "default-src 'none'",
  `script-src ${page.script}`,
  `style-src ${page.style}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = Object.freeze({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
});

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escapeAttribute = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => entities[character] ?? '');

const onOrOff = (isOn: boolean): string => (isOn ? 'on' : 'off');

export const pageResponse = ({ tenant, events, write }: PageFacts): HandlerResponse => {
  const facts = `data-tenant="${escapeAttribute(tenant)}" data-events="${onOrOff(events)}" data-write="${onOrOff(write)}"`;
  return withSecurityHeaders({
    status: 200,
    headers: pageHeaders,
    // A function, because a tenant's name may contain replacement patterns like `$&`.
    body: page.html.replace('<body>', () => `<body ${facts}>`),
  });
};
