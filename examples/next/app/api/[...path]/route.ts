// A route handler of Next.js: the file that serves /api/create-session, /api/sessions and
// /api/session/{session_id}.
import { fetchHandler } from 'colloquy/fetch';
import { createSessionHandler, staticApiKeys } from 'colloquy/http';
// In a Next.js app it is written without `.js`, or as `@/lib/sessions`.
import { sessions } from '../../../lib/sessions.js';

/**
 * The sessions of this example are in the memory of one process; the Edge runtime has no such
 * process.
 */
export const runtime = 'nodejs';

const make = () =>
  fetchHandler(
    createSessionHandler({
      sessions,
      authenticate: staticApiKeys([{ key: process.env['API_KEY'] ?? '', tenant: 'acme' }]),
      onError: (error) => console.error(error),
    }),
    { prefix: '/api' },
  );

let respond: ReturnType<typeof make> | undefined;

// With the first request: Next builds this file without your secrets, and `staticApiKeys` throws
// without a key.
const serve = (request: Request): Promise<Response> => {
  respond ??= make();
  return respond(request);
};

/** Next answers HEAD with it too. */
export const GET = serve;
export const POST = serve;
