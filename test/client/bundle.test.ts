import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleClient } from './bundle.js';

/** Of a page that imports the client: with its dependencies, minified and compressed. */
const MAX_BYTES = 19_300;

test('the client is made of no module of Node, of nothing of the server, and is small', async () => {
  const { code, files } = await bundleClient();
  const foreign = files.filter(
    (file) =>
      !/^(src\/(client|input|events|operations)\/|src\/session\/(async-dispose|call-host|cut-text|optional|deep-freeze|each-in-pages|errors|event-position|exceeds-bytes|fields|labels|session-record|read-stream|session-failure|limits|session-status|ids|lease-renewal|taken-lease|watch-cursor|with-lease|native-kinds)\.ts$|src\/service\/(or-throw|unwrap)\.ts$|node_modules\/)/.test(
        file,
      ),
  );
  expect(foreign).toEqual([]);
  expect(files.filter((file) => /store|service\/(?!or-throw|unwrap)/.test(file))).toEqual([]);
  const packages = new Set(files.flatMap((file) => /node_modules\/([\w-]+)/.exec(file)?.[1] ?? []));
  expect([...packages].toSorted()).toEqual(['eventsource-parser', 'nanoid', 'neverthrow']);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_BYTES);
  expect(code).not.toMatch(/\b(?:process|Buffer|setImmediate|require|__dirname)\b/);
});
