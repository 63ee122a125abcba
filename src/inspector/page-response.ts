import type { HandlerResponse } from '../http/index.js';
import { page } from './page.js';
import { withSecurityHeaders } from './responses.js';

/** What the page is told about where it is; it asks for all else. */
export interface PageFacts {
  readonly tenant: string;
  readonly events: boolean;
  readonly terminate: boolean;
}

/** Nothing but the page's own script and style, and requests to where it came from; nothing may frame it. */
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

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeAttribute = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? '');

const onOrOff = (isOn: boolean): string => (isOn ? 'on' : 'off');

export const pageResponse = ({ tenant, events, terminate }: PageFacts): HandlerResponse => {
  const facts = `data-tenant="${escapeAttribute(tenant)}" data-events="${onOrOff(events)}" data-terminate="${onOrOff(terminate)}"`;
  return withSecurityHeaders({
    status: 200,
    headers: pageHeaders,
    // By a function, since a tenant's name may hold what a replacement would take for a pattern.
    body: page.html.replace('<body>', () => `<body ${facts}>`),
  });
};
