import type { HandlerResponse } from '../http/index.js';

/** Of every answer: nothing of it is for another page, another site or another reading of its type. */
const guardingHeaders = Object.freeze({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
});

export const withSecurityHeaders = (response: HandlerResponse): HandlerResponse => ({
  ...response,
  headers: { ...response.headers, ...guardingHeaders },
});

const refusal = (status: number, title: string, code: string, detail: string): HandlerResponse =>
  withSecurityHeaders({
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ type: 'about:blank', title, status, detail, code }),
  });

const signIn = refusal(401, 'Unauthorized', 'unauthenticated', 'Sign in to look at these sessions.');

export const unauthenticated = (challenge: string): HandlerResponse => ({
  ...signIn,
  headers: { ...signIn.headers, 'WWW-Authenticate': challenge },
});

/** The answer to another site that makes a browser ask in its user's name. */
export const crossSite = refusal(403, 'Forbidden', 'cross_site', 'Only the page of the inspector may ask for this.');

/** From the path with a slash at its end to the page, of which the data's paths are relative. */
export const movedToPage = withSecurityHeaders({
  status: 308,
  headers: { 'Cache-Control': 'no-store', Location: '../inspector' },
});
