import { percentEncode } from '../operations/percent-encode.js';

/** Characters that a path must not contain (RFC 3986, 3.3). They could end a `Link` target or a header early. */
const nonPath = /[^\w\-.~!$&'()*+,;=:@%/]/gu;

/** Normalizes a prefix: `/api` for `api`, `/api` and `/api/`; empty for the root. */
export const tidyPrefix = (prefix: string): string => {
  if (prefix === '') return '';
  const inner = prefix.split('/').filter((segment) => segment !== '');
  return inner.map((segment) => `/${segment.replace(nonPath, percentEncode)}`).join('');
};

/** The path behind a normalized prefix; undefined if the URL does not start with it. */
export const withoutPrefix = (url: string, prefix: string): string | undefined => {
  if (prefix === '') return url;
  return url.startsWith(prefix) && url[prefix.length] === '/' ? url.slice(prefix.length) : undefined;
};
