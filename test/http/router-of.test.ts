import { describe, expect, test } from 'vitest';
import { tidyPrefix, withoutPrefix } from '../../src/http/router-of.js';
import { handlerWith, request } from './handler-harness.js';

describe('a path prefix', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['///', ''],
    ['api', '/api'],
    ['/api', '/api'],
    ['/api/', '/api'],
    ['api/v1', '/api/v1'],
    ['/ä b/', '/%C3%A4%20b'],
    ['/%C3%A4', '/%C3%A4'],
    ['/a"<>\\^`{|}', '/a%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/a\r\nSet-Cookie: x', '/a%0D%0ASet-Cookie:%20x'],
    ['/\ud800', '/%EF%BF%BD'],
    ['//evil.example/', '/evil.example'],
  ])('%j is normalised to %j', (given, tidy) => {
    expect(tidyPrefix(given)).toBe(tidy);
  });

  test.each([
    ['/sessions', '', '/sessions'],
    ['/api/sessions', '/api', '/sessions'],
    ['/api/', '/api', '/'],
    ['/api', '/api', undefined],
    ['/apisessions', '/api', undefined],
    ['/API/sessions', '/api', undefined],
    ['/sessions', '/api', undefined],
    ['/api?x=/api/', '/api', undefined],
  ])('is removed from %j under %j, which leaves %j', (url, prefix, rest) => {
    expect(withoutPrefix(url, prefix)).toBe(rest);
  });

  test("cannot redirect a client elsewhere, even if it comes from the request's mount", async () => {
    const { handler } = handlerWith();
    const created = await handler(
      request('POST', '/create-session', { prefix: '//evil.example\r\nX: y' }),
    );
    expect(created?.headers['Location']).toMatch(/^\/evil\.example%0D%0AX:%20y\/session\/[\w-]+$/);
    const listed = await handler(
      request('GET', '/sessions', { prefix: '//evil.example>; rel="next"' }),
    );
    expect(listed?.headers['Link']).toMatch(/^<\/evil\.example%3E;%20rel=%22next%22\/sessions\?/);
  });
});
