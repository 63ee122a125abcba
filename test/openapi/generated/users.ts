/*
 * The same conversation, as users write it with each generated client. It is compiled with the
 * client, so it also checks the types of the document.
 */

/** With the types of openapi-typescript in `schema.ts`, and openapi-fetch. */
export const userOfOpenApiTypescript = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

export const converse = async (baseUrl: string) => {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-KEY': 'key' } });
  const created = await client.POST('/create-session', {
    params: { header: { 'Idempotency-Key': '"order-17"' } },
    body: { face: 'ada', profile: 'tutor', behavior: null },
  });
  const id: string = created.data?.session_id ?? '';
  const path = { session_id: id };
  const started = await client.POST('/start-session/{session_id}', { params: { path } });
  const appended = await client.POST('/append-history/{session_id}', {
    params: { path },
    body: { entries: [{ role: 'user', content: 'Hello' }] },
  });
  const position: number | undefined = appended.data?.position;
  const first = await client.GET('/sessions', { params: { query: { limit: 1 } } });
  const cursor = first.response.headers.get('X-Next-Cursor') ?? '';
  const second = await client.GET('/sessions', { params: { query: { limit: 1, cursor } } });
  const ended = await client.POST('/terminate-session/{session_id}', { params: { path } });
  const state: components['schemas']['SessionState'] | undefined = ended.data;
  const found = await client.GET('/session/{session_id}', { params: { path } });
  const status: 'IDLE' | 'ACTIVE' | 'PAUSED' | 'TERMINATED' | undefined = found.data?.status;
  const nobody = await client.GET('/session/{session_id}', { params: { path: { session_id: 'nobody' } } });
  // @ts-expect-error There is no such status.
  const refused = await client.GET('/sessions', { params: { query: { status: 'ASLEEP' } } });
  return {
    hasId: id.length > 0,
    started: started.data?.status,
    hasPosition: position !== undefined,
    listed: [first.data?.map((session) => session.id === id), second.data?.length],
    endReason: state?.status === 'TERMINATED' ? state.end_reason : undefined,
    status,
    history: found.data?.history.map(({ role, content }) => [role, content]),
    nobody: nobody.error?.code,
    refused: refused.error?.errors?.[0]?.path,
  };
};
`;

/** With the client of @hey-api/openapi-ts in \`client\`. */
export const userOfHeyApi = `
import { createClient } from './client/client/index.js';
import {
  appendHistory,
  createSession,
  getSession,
  listSessions,
  type SessionState,
  startSession,
  terminateSession,
} from './client/index.js';

export const converse = async (baseUrl: string) => {
  const client = createClient({ baseUrl, auth: 'key' });
  const created = await createSession({
    client,
    headers: { 'Idempotency-Key': '"order-17"' },
    body: { face: 'ada', profile: 'tutor', behavior: null },
  });
  const id: string = created.data?.session_id ?? '';
  const path = { session_id: id };
  const started = await startSession({ client, path });
  const appended = await appendHistory({ client, path, body: { entries: [{ role: 'user', content: 'Hello' }] } });
  const position: number | undefined = appended.data?.position;
  const first = await listSessions({ client, query: { limit: 1 } });
  const cursor = first.response?.headers.get('X-Next-Cursor') ?? '';
  const second = await listSessions({ client, query: { limit: 1, cursor } });
  const ended = await terminateSession({ client, path });
  const state: SessionState | undefined = ended.data;
  const found = await getSession({ client, path });
  const status: 'IDLE' | 'ACTIVE' | 'PAUSED' | 'TERMINATED' | undefined = found.data?.status;
  const nobody = await getSession({ client, path: { session_id: 'nobody' } });
  // @ts-expect-error There is no such status.
  const refused = await listSessions({ client, query: { status: 'ASLEEP' } });
  return {
    hasId: id.length > 0,
    started: started.data?.status,
    hasPosition: position !== undefined,
    listed: [first.data?.map((session) => session.id === id), second.data?.length],
    endReason: state?.status === 'TERMINATED' ? state.end_reason : undefined,
    status,
    history: found.data?.history.map(({ role, content }) => [role, content]),
    nobody: nobody.error?.code,
    refused: refused.error?.code === 'invalid_input' ? refused.error.errors?.[0]?.path : undefined,
  };
};
`;

/** What sends the requests of orval's client, as its users write it. */
export const fetcherForOrval = `
let base = '';
export const sendTo = (baseUrl: string): void => {
  base = baseUrl;
};

export const fetcher = async <T>(url: string, options: RequestInit): Promise<T> => {
  const headers = { ...Object.fromEntries(new Headers(options.headers)), 'X-API-KEY': 'key' };
  const response = await fetch(base + url, { ...options, headers });
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
};
`;

/** With the client of orval in \`orval-client.ts\`. */
export const userOfOrval = `
import { sendTo } from './fetcher.js';
import {
  appendHistory,
  createSession,
  getSession,
  listSessions,
  type SessionState,
  startSession,
  terminateSession,
} from './orval-client.js';

export const converse = async (baseUrl: string) => {
  sendTo(baseUrl);
  const headers = { 'Idempotency-Key': '"order-17"' };
  const created = await createSession({ face: 'ada', profile: 'tutor', behavior: null }, { headers });
  const id: string = created.status === 201 ? created.data.session_id : '';
  const started = await startSession(id);
  const appended = await appendHistory(id, { entries: [{ role: 'user', content: 'Hello' }] });
  const position: number | undefined = appended.status === 200 ? appended.data.position : undefined;
  const first = await listSessions({ limit: 1 });
  const cursor = first.headers.get('X-Next-Cursor') ?? '';
  const second = await listSessions({ limit: 1, cursor });
  const ended = await terminateSession(id);
  const state: SessionState | undefined = ended.status === 200 ? ended.data : undefined;
  const found = await getSession(id);
  const session = found.status === 200 ? found.data : undefined;
  const status: 'IDLE' | 'ACTIVE' | 'PAUSED' | 'TERMINATED' | undefined = session?.status;
  const nobody = await getSession('nobody');
  // @ts-expect-error There is no such status.
  const refused = await listSessions({ status: 'ASLEEP' });
  return {
    hasId: id.length > 0,
    started: started.status === 200 ? started.data.status : undefined,
    hasPosition: position !== undefined,
    listed: [
      first.status === 200 ? first.data.map((listed) => listed.id === id) : undefined,
      second.status === 200 ? second.data.length : undefined,
    ],
    endReason: state?.status === 'TERMINATED' ? state.end_reason : undefined,
    status,
    history: session?.history.map(({ role, content }) => [role, content]),
    nobody: nobody.status === 404 ? nobody.data.code : undefined,
    refused: refused.status === 400 ? refused.data.errors?.[0]?.path : undefined,
  };
};
`;
