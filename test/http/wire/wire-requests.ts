/** Method, path with query, headers, body. Each has a good key unless it says otherwise. */
export type WireRequest = readonly [
  method: string,
  url: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

const json = { 'content-type': 'application/json' };

const post = (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): WireRequest => ['POST', url, { ...json, ...headers }, body];

const create = (body: string, headers: Readonly<Record<string, string>> = {}): WireRequest =>
  post('/create-session', body, headers);

const append = (body: string, headers: Readonly<Record<string, string>> = {}): WireRequest =>
  post('/append-history/s1', body, headers);
const rewind = (body: string): WireRequest => post('/rewind-history/s1', body);

const minimal = '{"face":"ada","profile":"tutor"}';
const said = '{"entries":[{"role":"user","content":"x","timestamp":"2026-01-31T13:00:00+01:00"}]}';

const paths = [
  '/create-session',
  '/sessions',
  '/session/s1',
  '/session/s1/events',
  '/start-session/s1',
  '/append-history/s1',
  '/rewind-history/s1',
  '/delete-session/s1',
  '/inspector',
  '/inspector/sessions',
  '/inspector/session/s1/history',
  '/inspector/terminate-session/s1',
  '/inspector/nowhere',
];

const elsewhere = [
  '/',
  '',
  '/session',
  '/session/',
  '/sessions/',
  '/Sessions',
  '/session/a/b',
  '/session/s1/events/',
  '/session//events',
  '/session/s1/nothing',
  '/create-session/',
  '/create-session/s1',
  '/start-session',
  '/start-session/',
  '/start-session/a/b',
  '/stop-session/s1',
  '/append-session/s1',
  '/delete-session/',
  '/inspectors',
];

const otherMethods = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'GET', 'POST', 'get'];

const credentials = { authorization: `Basic ${btoa('anybody:key')}` };

const ofInspector = (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): WireRequest => [method, `/inspector${url}`, { ...credentials, ...headers }];

/**
 * In an order in which each finds what it needs: `s1` has two entries and is ACTIVE, `s2` and `s3`
 * are IDLE.
 */
export const wireRequests: readonly WireRequest[] = [
  // Strangers.
  ...paths.map((path): WireRequest => ['GET', path, { 'x-api-key': 'wrong' }]),
  ...paths.map((path): WireRequest => ['POST', path, { 'x-api-key': '' }]),
  // Paths and methods.
  ...elsewhere.flatMap((path): WireRequest[] => [
    ['GET', path],
    ['POST', path],
  ]),
  ...paths.flatMap((path) =>
    otherMethods
      .filter((method) => !(method === 'POST' && /^\/(start|append|delete)/.test(path)))
      .filter((method) => !(method === 'GET' && path.endsWith('/events')))
      .map((method): WireRequest => [method, path]),
  ),
  // Lists.
  ['GET', '/sessions'],
  ['GET', '/sessions?'],
  ['GET', '/sessions?limit=2'],
  ['GET', '/sessions?limit=2&page=2'],
  ['GET', '/sessions?limit=1&page=2&order=oldest&history_limit=1'],
  ['GET', '/sessions?page=99'],
  ['GET', '/sessions?limit=1000&history_limit=0'],
  ['GET', '/sessions?status=ACTIVE&history_limit=1'],
  [
    'GET',
    '/sessions?created_after=2026-01-31T12:00:00Z&created_before=2026-01-31T12:00:02%2B00:00&limit=1',
  ],
  ['GET', '/sessions?limit=1&cursor=mkx1u8w0.s3'],
  ['HEAD', '/sessions?limit=1&history_limit=1'],
  ['GET', '/sessions?unknown=1'],
  ['GET', '/sessions?limit=0'],
  ['GET', '/sessions?limit=-1&page=01&history_limit=x'],
  ['GET', '/sessions?limit=1&limit=2'],
  ['GET', '/sessions?limit='],
  ['GET', '/sessions?limit=99999999999999999999'],
  ['GET', '/sessions?order=up&status=DEAD'],
  ['GET', '/sessions?created_after=yesterday&created_before=2026-02-30T00:00:00Z'],
  ['GET', '/sessions?cursor=nonsense'],
  ['GET', '/sessions?cursor=mkx1u8w0.s3&page=2'],
  ['GET', '/sessions?order=newest&order=oldest'],
  // One session.
  ['GET', '/session/s1'],
  ['GET', '/session/s1?history_limit=1'],
  ['GET', '/session/s1?history_limit=0'],
  ['HEAD', '/session/s1?history_limit=1'],
  ['GET', '/session/s1?history_limit=-1'],
  ['GET', '/session/s1?history_limit=1&history_limit=2'],
  ['GET', '/session/nobody'],
  ['HEAD', '/session/nobody'],
  ['GET', '/session/%ff'],
  ['GET', '/session/%'],
  ['GET', `/session/${'x'.repeat(257)}`],
  ['GET', '/session/a%2Fb'],
  // Creating.
  create(minimal),
  create(
    '{"face":"ada","profile":"tutor","behavior":null,"context":"c","time_limit":1.5,"other":1}',
  ),
  create(minimal, { 'idempotency-key': 'order-17' }),
  create(minimal, { 'idempotency-key': '"order-17"' }),
  create('{"face":"eve","profile":"tutor"}', { 'idempotency-key': 'order-17' }),
  create(minimal, { 'idempotency-key': 'x'.repeat(257) }),
  create(minimal, { 'idempotency-key': '' }),
  create(minimal, { 'content-type': 'application/json; charset=utf-8' }),
  create(minimal, { 'content-type': 'application/json; charset=latin1' }),
  create(minimal, { 'content-type': 'text/plain' }),
  create(minimal, { 'content-encoding': 'gzip' }),
  create(minimal, { 'content-length': '2001' }),
  create(JSON.stringify({ face: 'x'.repeat(2001) })),
  ['POST', '/create-session', {}, minimal],
  create(''),
  create('{'),
  create('[]'),
  create('null'),
  create('{}'),
  create('{"face":1,"profile":"","behavior":2,"context":[],"time_limit":-1}'),
  create(`{"face":"${'x'.repeat(257)}","profile":"tutor","time_limit":1e9}`),
  // Commands.
  ['POST', '/start-session/s2', { 'idempotency-key': 'start-1' }],
  ['POST', '/start-session/s2', { 'idempotency-key': '"start-1"' }],
  ['POST', '/start-session/s2'],
  ['POST', '/start-session/s2', { 'idempotency-key': '"no name' }],
  ['POST', '/pause-session/s2'],
  ['POST', '/resume-session/s2'],
  ['POST', '/resume-session/s2'],
  ['POST', '/fail-session/s2'],
  ['POST', '/fail-session/s2'],
  ['POST', '/terminate-session/s2'],
  ['POST', '/terminate-session/s3'],
  ['POST', '/terminate-session/s3'],
  ...['start', 'pause', 'resume', 'terminate', 'fail', 'delete'].map(
    (name): WireRequest => ['POST', `/${name}-session/nobody`],
  ),
  ['POST', '/start-session/%ff'],
  ['POST', `/delete-session/${'x'.repeat(257)}`],
  append(said, { 'idempotency-key': 'turn-1' }),
  append(said, { 'idempotency-key': 'turn-1' }),
  append(said, { 'idempotency-key': '"turn-2"' }),
  append(said),
  append(said),
  append('{}'),
  append('{"entries":[]}'),
  append('{"entries":[{"role":"","content":1},{"timestamp":"never"},3]}'),
  append('[1]'),
  rewind('{"to":1,"if_position":5}'),
  rewind('{"to":2,"if_position":6,"entries":[]}'),
  rewind('{"to":"1","if_position":6}'),
  rewind('{"to":99,"if_position":6}'),
  rewind('{"to":0,"if_position":1}'),
  rewind('{"to":0}'),
  append(said, { 'content-type': 'text/plain' }),
  append(said, { 'idempotency-key': 'é' }),
  post('/append-history/s3', said),
  post('/append-history/nobody', said),
  post('/append-history/%ff', said),
  // Messages.
  post('/send-message/s1', '{"id":"m/1 a","content":"Hello","data":[1]}'),
  post('/send-message/s1', '{"id":"m/1 a","content":"Hello","data":[1]}'),
  post('/send-message/s1', '{"id":"m/1 a","content":"Bye"}'),
  post('/send-message/s1', '{"id":"","content":1}'),
  post('/send-message/s3', '{"content":"Hello"}'),
  post('/send-message/nobody', '{"content":"Hello"}'),
  ['GET', '/session/s1/inbox'],
  ['HEAD', '/session/s1/inbox'],
  ['GET', '/session/nobody/inbox'],
  ['GET', '/session/s1/answer?message_id=m%2F1+a&timeout_ms=0'],
  ['GET', '/session/s1/answer?message_id=nobody&timeout_ms=0'],
  ['GET', '/session/s1/answer?timeout_ms=x'],
  post('/claim-sessions', '{"holder":"w","seconds":30}'),
  post('/take-messages/s1', '{"fencing_token":7}'),
  post('/release-session/s1', '{"fencing_token":7,"entries":[{"content":"x"}]}'),
  post('/withdraw-messages/s1', '{"ids":["m/1 a","m-2"]}'),
  post('/withdraw-messages/nobody', '{}'),
  // Events.
  ['HEAD', '/session/s1/events'],
  ['GET', '/session/nobody/events'],
  ['GET', '/session/%ff/events'],
  ['GET', '/session/s1/events', { 'last-event-id': 'nonsense' }],
  ['GET', '/session/s1/events', { 'last-event-id': 'end' }],
  ['GET', '/session/s3/events'],
  ['GET', '/session/s3/events', { 'last-event-id': '0' }],
  ['GET', '/session/s3/events', { 'last-event-id': '' }],
  // The inspector.
  ofInspector('GET', '/'),
  ofInspector('GET', '/sessions?limit=2'),
  ofInspector('HEAD', '/sessions?limit=2'),
  ofInspector('GET', '/sessions?limit=0'),
  ofInspector('GET', '/session/s1'),
  ofInspector('GET', '/session/s2'),
  ofInspector('GET', '/session/nobody'),
  ofInspector('GET', '/session/s3/events'),
  ofInspector('GET', '/session/s1/history'),
  ofInspector('GET', '/session/s1/history?last=1'),
  ofInspector('GET', '/session/s1/history?after=0&limit=2'),
  ofInspector('HEAD', '/session/s1/history?last=1'),
  ofInspector('GET', '/session/s1/history?last=0'),
  ofInspector('GET', '/session/s1/history?after=77'),
  ofInspector('GET', '/session/nobody/history'),
  ofInspector('GET', '/session/%ff/history'),
  ofInspector('GET', '/session/s1', { 'sec-fetch-site': 'cross-site' }),
  ofInspector('POST', '/terminate-session/s1'),
  ofInspector('POST', '/terminate-session/s1', { 'x-colloquy-inspector': '1' }),
  ofInspector('POST', '/start-session/s1', { 'x-colloquy-inspector': '1' }),
  ofInspector('POST', '/create-session', { 'x-colloquy-inspector': '1' }),
  ofInspector('GET', '/nowhere'),
  // Deleting.
  ['POST', '/delete-session/s1'],
  ['POST', '/delete-session/s1'],
  ['GET', '/session/s1'],
];
