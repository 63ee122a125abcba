// A route handler of Next.js: the file that serves /api/create-session, /api/sessions and /api/session/{session_id}.
import { fetchHandler } from 'colloquy/fetch';
import { createSessionHandler, staticApiKeys } from 'colloquy/http';
// In a Next.js app it is written without `.js`, or as `@/lib/sessions`.
import { sessions } from '../../../lib/sessions.js';

/** API keys are compared with `node:crypto`, which the Edge runtime has not. */
export const runtime = 'nodejs';

const respond = fetchHandler(
  createSessionHandler({
    sessions,
    // A key that is missing lets nobody in: the answer is 503, and `onError` is told why. Next builds this file without
    // your secrets, so it must not fail here.
    authenticate: staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]),
    onError: (error) => console.error(error),
  }),
  { prefix: '/api' },
);

/** Next answers HEAD with it too. */
export const GET = respond;
export const POST = respond;
