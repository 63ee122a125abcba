// Calls the route handler as Next.js would. Next.js itself is not installed here: in your app,
// `next dev` replaces this file, and `app/` and `lib/` stay unchanged.
import { GET, POST } from './app/api/[...path]/route.js';
import { sessions } from './lib/sessions.js';

const headers = { 'X-API-KEY': process.env['API_KEY'] ?? '' };

const created = await POST(
  new Request('http://localhost/api/create-session', {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ face: 'ada', profile: 'tutor', time_limit: 600 }),
  }),
);
console.log('POST', created.status, await created.text());

// Calls the service directly, as a server component or a server action would, without HTTP.
const id = created.headers.get('Location')?.split('/').at(-1) ?? '';
const started = await sessions.start(id);
console.log('start', started.isOk() ? started.value.status : started.error.message);

const listed = await GET(new Request('http://localhost/api/sessions?limit=5', { headers }));
console.log('GET', listed.status, await listed.text());

const refused = await GET(new Request('http://localhost/api/sessions'));
console.log('GET without a key', refused.status);
if (created.status !== 201) process.exitCode = 1;
