import { joinRace } from '../../../src/testing/index.js';
import { openStoreAt } from '../store-address.js';

/** Joins a race of `raceProcesses` on the store at an address. */
const [address = '', ticket = ''] = process.argv.slice(2);

const { store, ready, close } = openStoreAt(JSON.parse(address));
const race = async (): Promise<void> => {
  await ready;
  await joinRace(store, ticket);
  await close();
};

race().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
