import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readNodeBody } from '../../adapters/node/read-node-body.js';

const LIMIT = 10;

const incoming = (): IncomingMessage => new IncomingMessage(new Socket());

describe('the body of a Node request', () => {
  test('is reported as lost if the host destroys the request before or during the read', async () => {
    const before = incoming();
    before.destroy();
    expect(await readNodeBody(before, undefined, LIMIT)).toEqual({ outcome: 'aborted' });
    const meanwhile = incoming();
    const reading = readNodeBody(meanwhile, undefined, LIMIT);
    meanwhile.destroy();
    expect(await reading).toEqual({ outcome: 'aborted' });
  });

  test('has no listeners left, however the read ends', async () => {
    const endings = [
      (req: IncomingMessage) => req.push(null),
      (req: IncomingMessage) => req.push('x'.repeat(LIMIT + 1)),
      (req: IncomingMessage) => req.emit('error', new Error('aborted')),
      (req: IncomingMessage) => req.destroy(),
    ];
    for (const end of endings) {
      const req = incoming();
      const before = req.eventNames().length;
      const reading = readNodeBody(req, undefined, LIMIT);
      expect(req.eventNames().length).toBeGreaterThan(before);
      end(req);
      await reading;
      expect(req.eventNames()).toHaveLength(before);
    }
  });

  test('is empty, and not lost, if it ended without a byte', async () => {
    const req = incoming();
    req.push(null);
    for await (const _chunk of req);
    expect(await readNodeBody(req, undefined, LIMIT)).toEqual({
      outcome: 'read',
      bytes: new Uint8Array(),
    });
  });
});
