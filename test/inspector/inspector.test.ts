import { describe, expect, test } from 'vitest';
import { apiKeyAsPassword, inspectorRoutes } from '../../src/inspector/index.js';
import { page } from '../../src/inspector/page.js';
import { request } from '../http/handler-harness.js';
import { ada, createdIn, okOf, startedIn } from '../support/sessions.js';
import { asJson, codeOf, fromPage, openInspector as open } from './open-inspector.js';

describe('access to the inspector', () => {
  const urls = [
    '/inspector',
    '/inspector/',
    '/inspector/sessions',
    '/inspector/session/x',
    '/inspector/events',
    '/inspector/none',
  ];

  test.for(urls)("is decided by the inspector's own authenticator only, for %s", async (url) => {
    const { ask } = open({ challenge: 'Basic realm="Ours"' });
    const response = await ask('GET', url, { cookie: 'user=eve', 'x-api-key': 'any' });
    expect([response.status, codeOf(response)]).toEqual([401, 'unauthenticated']);
    expect(response.headers['WWW-Authenticate']).toBe('Basic realm="Ours"');
  });

  test('accepts an API key as password, with any user name', async () => {
    const { ask } = open(apiKeyAsPassword((key) => (key === 'a:key' ? 'acme' : undefined)));
    const withPassword = (pair: string) =>
      ask('GET', '/inspector', { authorization: `Basic ${btoa(pair)}` });
    expect((await withPassword('anybody:a:key')).status).toBe(200);
    for (const pair of [':a:kez', 'a:key', 'anybody:', 'anybody']) {
      const { status, headers } = await withPassword(pair);
      expect([status, headers['WWW-Authenticate']]).toEqual([
        401,
        'Basic realm="Colloquy", charset="UTF-8"',
      ]);
    }
    for (const authorization of ['Basic ***', 'Basic', 'Bearer a:key', 'Basic a', '']) {
      expect((await ask('GET', '/inspector', { authorization })).status).toBe(401);
    }
  });

  test('is denied if the authenticator fails', async () => {
    const { ask, told } = open({ authenticate: () => Promise.reject(new Error('no directory')) });
    expect(codeOf(await ask('GET', '/inspector'))).toBe('authenticator_unavailable');
    expect(told).toMatchObject([{ type: 'authenticator_unavailable' }]);
  });

  test('is limited to the sessions of the tenant', async () => {
    const { ask, others } = open();
    const id = await createdIn(others);
    expect((await ask('GET', `/inspector/session/${id}`)).status).toBe(404);
    expect((await ask('GET', `/inspector/session/${id}/history`)).status).toBe(404);
    expect((await ask('GET', `/inspector/session/${id}/events`)).status).toBe(404);
    expect((await ask('POST', `/inspector/terminate-session/${id}`, fromPage)).status).toBe(404);
    expect((await ask('GET', '/inspector/sessions')).body).toBe('[]');
  });
});

describe('the inspector serves', () => {
  test('its page under a content security policy for its own parts only', async () => {
    const { ask } = open();
    const { status, headers, body } = await ask('GET', '/inspector');
    expect(status).toBe(200);
    expect(body).toContain('<body data-tenant="acme" data-events="on" data-write="on">');
    const policy = headers['Content-Security-Policy'];
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}=';/,
    );
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
    expect((await ask('HEAD', '/inspector')).body).toBeUndefined();
  });

  test('the name of a tenant as text, whatever it contains', async () => {
    const { ask } = open({ authenticate: () => `"><script>alert(1)</script>$&'` });
    const { body } = await ask('GET', '/inspector');
    expect(body).toContain(`data-tenant="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;$&amp;'"`);
    expect(page.html).not.toContain('innerHTML');
  });

  test('a list without histories and texts, with links to itself', async () => {
    const { ask, sessions } = open();
    const id = await startedIn(sessions, { timeLimit: 60 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.create(ada));
    const { headers, body = '' } = await ask('GET', '/inspector/sessions?limit=1&status=ACTIVE');
    expect(JSON.parse(body)).toEqual([
      {
        id,
        status: 'ACTIVE',
        options: { face: 'ada', profile: 'tutor', time_limit: 60 },
        created_at: expect.any(String),
        duration: 0,
      },
    ]);
    expect(headers['X-Total-Count']).toBe('1');
    expect(headers['Link']).toContain(
      '</api/inspector/sessions?limit=1&page=1&status=ACTIVE>; rel="first"',
    );
  });

  test('a session with its labels, the reason of its end and the number of its entries', async () => {
    const { ask, sessions } = open();
    const { id } = await okOf(sessions.create({ ...ada, labels: { user: 'u-1' } }));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.fail(id));
    const { body = '' } = await ask('GET', `/inspector/session/${id}`);
    expect(JSON.parse(body)).toMatchObject({
      status: 'TERMINATED',
      end_reason: 'failed',
      labels: { user: 'u-1' },
      entries: 1,
    });
    expect(JSON.parse(body)).not.toHaveProperty('history');
  });

  test('a history in parts', async () => {
    const { ask, sessions } = open();
    const id = await startedIn(sessions);
    const said = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
    await okOf(sessions.append(id, said));
    const read = async (query: string) =>
      JSON.parse((await ask('GET', `/inspector/session/${id}/history${query}`)).body ?? '');
    const last = await read('?last=1');
    expect(last).toMatchObject({ entries: [{ role: 'user', content: 'three' }], has_more: false });
    expect(await read(`?after=${last.position}`)).toMatchObject({ entries: [], has_more: false });
    expect(await read('?after=0&limit=2')).toMatchObject({
      entries: [said[0], said[1]],
      has_more: true,
    });
    expect((await read('?last=100000')).entries).toHaveLength(3);
    expect((await read('')).entries).toHaveLength(3);
    for (const query of ['?last=0', '?last=x', '?after=-1', '?after=0&limit=0', '?after=99']) {
      expect(await read(query), query).toMatchObject({ code: 'invalid_input' });
    }
  });

  test.for(['ACTIVE', 'TERMINATED'])(
    'the events of a session that is %s, starting with a snapshot',
    async (status) => {
      const { ask, sessions } = open();
      const id = await startedIn(sessions);
      if (status === 'TERMINATED') await okOf(sessions.terminate(id));
      const { stream } = await ask('GET', `/inspector/session/${id}/events`);
      if (stream === undefined) throw new Error('nothing is streamed');
      const types: (string | undefined)[] = [];
      for await (const bytes of stream) {
        types.push(/^event: (.+)$/m.exec(new TextDecoder().decode(bytes))?.[1]);
        if (status === 'ACTIVE' && types.length === 2) await okOf(sessions.terminate(id));
      }
      const changes = status === 'ACTIVE' ? ['session.changed'] : [];
      expect(types).toEqual([undefined, 'session.snapshot', ...changes, 'end']);
    },
  );

  test('the inbox of a session, and may withdraw messages and cancel the turn', async () => {
    const { ask, sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, { id: 'm/1', content: 'A bridge' }));
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.send(id, { id: 'm/2', content: 'A tunnel' }));
    await okOf(sessions.send(id, { id: 'm/3', content: 'A tower' }));
    const inbox = async () =>
      JSON.parse((await ask('GET', `/inspector/session/${id}/inbox`)).body ?? '');
    expect(await inbox()).toMatchObject([{ id: 'm/2', content: 'A tunnel' }, { id: 'm/3' }]);
    const post = (path: string, body: string) =>
      ask('POST', `/inspector/${path}/${id}`, asJson, body);
    const withdrawn = await post('withdraw-messages', '{"ids":["m/1","m/2"]}');
    expect(JSON.parse(withdrawn.body ?? '')).toMatchObject({
      withdrawn: [{ id: 'm/2' }],
      taken: ['m/1'],
    });
    expect(await inbox()).toMatchObject([{ id: 'm/3' }]);
    const cancelled = await post('cancel-work', '{}');
    expect(cancelled).toMatchObject({ status: 204, headers: { 'Referrer-Policy': 'no-referrer' } });
  });

  test('no other command, no creation, and neither commands nor events that the host has disabled', async () => {
    const { ask, handler, sessions } = open({ write: false }, { events: false });
    const id = await createdIn(sessions);
    const paths = [
      'start-session/x',
      'append-history/x',
      'delete-session/x',
      'fail-session/x',
      'create-session',
    ];
    for (const path of [
      ...paths,
      `terminate-session/${id}`,
      `withdraw-messages/${id}`,
      `cancel-work/${id}`,
      `session/${id}/events`,
      'events',
      'session/a/b',
      'sessions/',
    ]) {
      expect((await ask('POST', `/inspector/${path}`, fromPage)).status, path).toBe(404);
    }
    expect((await ask('GET', '/inspector')).body).toContain('data-events="off" data-write="off"');
    expect(await handler(request('GET', '/inspectors'))).toBeUndefined();
  });

  test('only the allowed methods of a path', async () => {
    const { ask } = open();
    const asked = [
      ['POST', '/inspector', 'GET, HEAD'],
      ['DELETE', '/inspector/sessions', 'GET, HEAD'],
      ['POST', '/inspector/events', 'GET, HEAD'],
      ['POST', '/inspector/session/x/history', 'GET, HEAD'],
      ['GET', '/inspector/terminate-session/x', 'POST'],
      ['OPTIONS', '/inspector/terminate-session/x', 'POST'],
    ] as const;
    for (const [method, url, allow] of asked) {
      const { status, headers } = await ask(method, url, fromPage);
      expect([status, headers['Allow']], `${method} ${url}`).toEqual([405, allow]);
    }
  });

  test('a redirect from a trailing slash to the page', async () => {
    const { status, headers } = await open().ask('GET', '/inspector/');
    expect([status, headers['Location']]).toEqual([308, '../inspector']);
  });
});

describe('another site', () => {
  test('cannot withdraw messages or cancel a turn as a signed-in user (CSRF)', async () => {
    const { ask, sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, 'A bridge'));
    const { claimed } = await okOf(sessions.claim({ holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.send(id, 'A tunnel'));
    for (const path of ['withdraw-messages', 'cancel-work']) {
      const { 'x-colloquy-inspector': _, ...theirs } = asJson;
      const sent = [theirs, { ...asJson, 'sec-fetch-site': 'cross-site' }];
      for (const headers of sent) {
        const response = await ask('POST', `/inspector/${path}/${id}`, headers, '{}');
        expect([response.status, codeOf(response)]).toEqual([403, 'cross_site']);
      }
    }
    expect(await okOf(sessions.inbox(id))).toMatchObject([{ content: 'A tunnel' }]);
    const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
    expect((await sessions.renew(id, { fencingToken, seconds: 60 })).isOk()).toBe(true);
  });

  test('cannot end a session as a signed-in user (CSRF)', async () => {
    const { ask, sessions } = open();
    const id = await startedIn(sessions);
    const url = `/inspector/terminate-session/${id}`;
    const theirs = [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'cross-site', 'x-colloquy-inspector': '1' },
      { 'sec-fetch-site': 'same-site', 'x-colloquy-inspector': '1' },
    ];
    for (const headers of theirs) {
      const response = await ask('POST', url, headers);
      expect([response.status, codeOf(response)]).toEqual([403, 'cross_site']);
    }
    expect((await okOf(sessions.get(id))).status).toBe('ACTIVE');
    expect((await ask('POST', url, fromPage)).status).toBe(200);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'terminated',
    });
  });

  test('cannot read responses in a browser, but may link to the page', async () => {
    const { ask } = open();
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    expect((await ask('GET', '/inspector/sessions', elsewhere)).status).toBe(403);
    expect((await ask('GET', '/inspector', elsewhere)).status).toBe(200);
  });
});

describe('invalid inspector options', () => {
  const broken: readonly (readonly [unknown, string])[] = [
    [
      { authenticate: 'no function' },
      'authenticate must be a function, such as that of apiKeyAsPassword',
    ],
    [
      { challenge: 'a\r\nb' },
      'challenge must be 1 to 1024 visible ASCII characters, with spaces between',
    ],
    [{ write: 'yes' }, 'write must be true or false'],
    [{ writ: true }, 'writ is unknown (did you mean write?)'],
  ];

  test.for(broken)('%j throw when the inspector is created', ([options, message]) => {
    const all = Object.assign({ authenticate: () => 'acme' }, options);
    expect(() => inspectorRoutes(all)).toThrow(new TypeError(`inspectorRoutes: ${message}`));
  });

  test('include a missing authenticator for API keys as passwords', () => {
    expect(() => Reflect.apply(apiKeyAsPassword, undefined, [undefined])).toThrow(
      new TypeError(
        'apiKeyAsPassword: authenticate must be a function, such as the result of staticApiKeys',
      ),
    );
  });
});
