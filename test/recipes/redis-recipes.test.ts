import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { root } from '../readme/documents.js';
import { SampleFolder } from '../readme/run-sample.js';
import { createCertificate } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import { startRedis } from '../support/redis-server.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { runNode } from '../support/run.js';
import { recipeWith } from './recipe.js';

/** Uses the store of the recipe in a process of its own, as certificates are read at the start. */
const PROGRAM = `
import { SessionService } from 'colloquy';
import { client, store } from './recipe.ts';

const sessions = new SessionService({ store });
const created = await sessions.create({ face: 'ada', profile: 'tutor' });
console.log(created.isOk() ? 'created' : created.error.message);
client.disconnect();
`;

if (!requirements.redisWithTls.isMet()) it.skip(reasonToSkip(requirements.redisWithTls));
else
  it("the compatibility page's recipe connects to a Redis with TLS", async () => {
    const { key, certificate, remove } = createCertificate();
    onTestFinished(remove);
    const port = await freePort();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key];
    const tls = ['--tls-port', String(port), ...files, '--tls-auth-clients', 'no'];
    const server = await startRedis({ args: [...tls, '--requirepass', 'secret'] });
    onTestFinished(() => server.stop());
    const folder = new SampleFolder();
    onTestFinished(() => folder.remove());
    folder.write(recipeWith(['REDIS_URL']), '', 'recipe.ts');
    const program = folder.write({ name: 'program', code: PROGRAM, runs: true }, '', 'main.ts');
    vi.stubEnv('NODE_EXTRA_CA_CERTS', certificate);
    vi.stubEnv('REDIS_URL', `rediss://default:secret@127.0.0.1:${port}`);
    const sources = join(root, '.ci', 'sources.mjs');
    const printed = await runNode(['--import', sources, program], folder.path);
    expect(printed).toBe('created\n');
  });
