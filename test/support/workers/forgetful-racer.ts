import { joinRace } from '../../../src/testing/index.js';
import { openFileStore } from '../file-store.js';

const [file = '', ticket = ''] = process.argv.slice(2);

joinRace(openFileStore(file), ticket).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
