import { onTestFinished } from 'vitest';
import {
  type ClientOptions,
  type ClientVersion,
  connectClient,
  type TestClient,
} from './client-versions.js';

export {
  type ClientOptions,
  type ClientVersion,
  clientVersions,
  isConnected,
  isNodeRedis,
  type TestClient,
} from './client-versions.js';

/** Connects a client, which is closed after the test. */
export const openClient = (version: ClientVersion, options: ClientOptions): TestClient => {
  const client = connectClient(version, options);
  onTestFinished(() => client.disconnect());
  return client;
};
