import { expect } from 'vitest';
import type { Reply } from './client.js';

/** Expects an error response with this status and code, in the common format. */
export const expectProblem = (reply: Reply, status: number, code: string): void => {
  expect({ status: reply.status, body: reply.text }).toMatchObject({ status });
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  expect(reply.json()).toMatchObject({
    type: 'about:blank',
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
  });
};

/** Expects an error response that names exactly these invalid places. */
export const expectInvalid = (reply: Reply, ...paths: readonly string[]): void => {
  expectProblem(reply, 400, 'invalid_input');
  const message = expect.any(String);
  expect(reply.json()).toHaveProperty(
    'errors',
    paths.map((path) => ({ path, message })),
  );
};
