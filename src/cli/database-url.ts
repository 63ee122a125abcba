import { UsageError } from './cli-error.js';
import type { Given, Options } from './options.js';

interface UrlForm {
  /** The variable that `env` refers to. Other users of the machine can see options. */
  readonly variable: string;
  readonly protocol: RegExp;
  readonly pathname: RegExp;
  readonly example: string;
}

/** The URL of a database. No message contains it: it may contain a password. */
export const databaseUrl = (
  given: Given,
  options: Options,
  { variable, protocol, pathname, example }: UrlForm,
): URL => {
  const { label, text } = (given.text === 'env' && options.variable(variable)) || given;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url?.hostname &&
    protocol.test(url.protocol) &&
    pathname.test(url.pathname) &&
    !/[@#]/.test(url.search + url.hash)
  )
    return url;
  throw new UsageError(`${label} must be a URL such as ${example}`);
};
