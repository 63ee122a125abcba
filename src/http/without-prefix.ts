import { percentEncode } from '../operations/percent-encode.js';

/** What may not stand in a path as it is (RFC 3986, 3.3), and would end a `Link` target or a header early. */
const nonPath = /[^\w\-.~!$&'()*+,;=:@%/]/gu;

/** A prefix as it is compared and put back: `/api` for `api`, `/api` and `/api/`, nothing for the root. */
export const tidyPrefix = (prefix: string): string => {
  if (prefix === '') return '';
  const inner = prefix.split('/').filter((segment) => segment !== '');
  return inner.map((segment) => `/${segment.replace(nonPath, percentEncode)}`).join('');
};

/** What is left of a path behind a tidy prefix, or nothing if it does not start with it. */
export const withoutPrefix = (url: string, prefix: string): string | undefined => {
  if (prefix === '') return url;
  return url.startsWith(prefix) && url[prefix.length] === '/' ? url.slice(prefix.length) : undefined;
};
