import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SessionService } from '../../src/index.js';
import { root } from '../readme/documents.js';
import { ManualClock } from '../support/manual-clock.js';
import { type Requirement, reasonToSkip, requirements } from '../support/requirements.js';
import { okOf } from '../support/sessions.js';
import { type Open, openers, savedIn, saveIn } from './stored.js';
import { read, tell } from './story.js';

/** What each release has stored: a folder a release, made by `npm run upgrades:record`. */
const RELEASES = join(root, 'test/upgrades/releases');
const MINUTE = 60_000;

const { version }: { version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

type Kind = keyof typeof openers;

const kinds: readonly (readonly [kind: Kind, requirement: Requirement | undefined])[] = [
  ['sqlite', undefined],
  ['postgres', requirements.postgres],
  ['redis', requirements.redis],
];

const serviceOn = ({ store }: Awaited<ReturnType<Open>>) => {
  const clock = new ManualClock();
  return { clock, sessions: new SessionService({ store, clock }) };
};

const record = async (kind: Kind): Promise<void> => {
  const kept = await openers[kind]();
  await kept.migrate();
  const { sessions, clock } = serviceOn(kept);
  await tell(sessions, clock);
  const folder = join(RELEASES, version);
  mkdirSync(folder, { recursive: true });
  saveIn(folder, kind, await kept.save());
  const told = { now: clock.now(), reads: await read(sessions) };
  writeFileSync(join(folder, `${kind}.json`), `${JSON.stringify(told, undefined, 1)}\n`);
};

const recording = process.env['COLLOQUY_RECORD'] === 'yes';
const releases = recording ? [] : readdirSync(RELEASES);

const upgradedFrom = async (release: string, kind: Kind) => {
  const folder = join(RELEASES, release);
  const told: { now: number; reads: object } = JSON.parse(
    readFileSync(join(folder, `${kind}.json`), 'utf8'),
  );
  const kept = await openers[kind](savedIn(folder, kind));
  await kept.migrate();
  const { sessions, clock } = serviceOn(kept);
  clock.pass(told.now - clock.now());
  return { sessions, clock, told: told.reads };
};

const describeUpgrades = (kind: Kind): void =>
  describe.each(releases)(`sessions that release %s stored on ${kind}`, (release) => {
    test('are read as before the upgrade', async () => {
      const { sessions, told } = await upgradedFrom(release, kind);
      expect(await read(sessions)).toMatchObject(told);
    });

    test('recognise calls that are repeated after the upgrade', async () => {
      const { sessions } = await upgradedFrom(release, kind);
      const data = { image: [1, null] };
      const entry = { role: 'user', content: 'Hé “你好” \u0007', data };
      const again = await okOf(sessions.append('chat', [entry], { operationId: 'append-1' }));
      expect(again).toMatchObject({ repeated: true });
      const answered = await okOf(sessions.send('chat', { id: 'm-1', content: '6 times 7?' }));
      expect(answered).toMatchObject({ state: 'answered' });
    });

    test('go on with messages that waited, and with those of a worker that was killed', async () => {
      const { sessions, clock } = await upgradedFrom(release, kind);
      clock.pass(MINUTE);
      const run = async () => 'after the upgrade';
      const message = { id: 'm-2', content: 'waiting' };
      expect((await okOf(sessions.reply('chat', message, run))).content).toBe('after the upgrade');
      const { claimed } = await okOf(sessions.claimAny({ holder: 'new', seconds: 30, limit: 10 }));
      expect(claimed.map(({ session }) => session.id)).toContain('crashed');
    });
  });

for (const [kind, requirement] of kinds) {
  if (requirement?.isMet() === false) test.skip(reasonToSkip(requirement));
  else if (recording) test(`${version} is recorded on ${kind}`, () => record(kind));
  else describeUpgrades(kind);
}
