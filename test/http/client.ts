import { request } from 'node:http';

/** What a server has answered. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON. */
  json(): unknown;
}

export interface Outgoing {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent unchanged; a list is sent in chunks, without a length. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

/** Sends one request unchanged, without normalising its path. */
export const send = (
  origin: string,
  path: string,
  { method = 'GET', headers, body }: Outgoing = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const call = request({ hostname, port, path, method, headers: headers ?? {} }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text,
          json: () => JSON.parse(text),
        });
      });
    });
    call.on('error', reject);
    if (Array.isArray(body)) {
      for (const chunk of body) call.write(chunk);
      call.end();
      return;
    }
    if (typeof body === 'string' || body instanceof Uint8Array) {
      call.setHeader('Content-Length', Buffer.byteLength(body));
      call.end(body);
      return;
    }
    call.end();
  });
