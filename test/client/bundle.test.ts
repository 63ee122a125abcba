import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleClient } from './bundle.js';

/** The size of a page that imports the client with its dependencies, minified and compressed. */
const MAX_BYTES = 19_000;

test('a bundle of the client contains no text of the OpenAPI document', async () => {
  const { code } = await bundleClient();
  expect(code).toContain('durationMs');
  const texts = [
    'Milliseconds spent ACTIVE',
    'A lease on a session',
    'may have crashed',
    'heartbeats',
  ];
  expect(texts.filter((text) => code.includes(text))).toEqual([]);
});

test('the client imports no module of Node and nothing of the server, and is small', async () => {
  const { code, files } = await bundleClient();
  const foreign = files.filter(
    (file) =>
      !/^(src\/(client|endpoints|schema)\/|src\/input\/json-values\.ts$|src\/session\/(async-dispose|call-host|canonical-json|clock|counters|labels|work-state|cut-text|optional|deep-freeze|each-in-pages|errors|(?:conversation|input|session|store|work)-errors|plain-text|event-position|exceeds-bytes|fields|read-stream|session-failure|limits|session-status|ids|lease-renewal|taken-lease|watch-cursor|with-lease|native-kinds)\.ts$|src\/service\/(or-throw|unwrap)\.ts$|node_modules\/)/.test(
        file,
      ),
  );
  expect(foreign).toEqual([]);
  expect(
    files.filter((file) => /store(?!-errors)|service\/(?!or-throw|unwrap)/.test(file)),
  ).toEqual([]);
  const packages = new Set(files.flatMap((file) => /node_modules\/([\w-]+)/.exec(file)?.[1] ?? []));
  expect([...packages].toSorted()).toEqual(['eventsource-parser', 'nanoid', 'neverthrow']);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(MAX_BYTES);
  expect(code).not.toMatch(/\b(?:process|Buffer|setImmediate|require|__dirname)\b/);
});
