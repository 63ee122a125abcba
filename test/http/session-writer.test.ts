import { describe, expect, it } from 'vitest';
import { SessionWriter } from '../../src/http/session-writer.js';
import type { HistoryEntry, Session } from '../../src/session/session.js';

const options = Object.freeze({ face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 0 });
const say = (content: string): HistoryEntry =>
  Object.freeze({ role: 'user', content, timestamp: '2026-01-31T18:00:02.000Z' });

const session = (changes: Partial<Session & { status: 'ACTIVE' }> = {}): Session => ({
  id: 'a',
  status: 'ACTIVE',
  options,
  history: Object.freeze([say('hello')]),
  createdAt: '2026-01-31T18:00:00.000Z',
  duration: 2,
  ...changes,
});

const onTheWire = ({ id, status, options: given, history, createdAt, duration }: Session) => {
  const { timeLimit, ...others } = given;
  return { id, status, options: { ...others, time_limit: timeLimit }, history, created_at: createdAt, duration };
};

const written = (writer: SessionWriter, given: Session): unknown => JSON.parse(writer.session(given).text);

describe('a session that is written again', () => {
  it.each([
    ['has its new status and duration', session({ duration: 7 })],
    ['has its new history', session({ history: Object.freeze([say('hello'), say('goodbye')]) })],
    ['is another tenant\u2019s of the same id', session({ options: Object.freeze({ ...options, face: 'bob' }) })],
    ['has its own time of creation', session({ createdAt: '2026-01-31T19:00:00.000Z' })],
  ])('%s', (_, later) => {
    const writer = new SessionWriter();
    const first = session();
    expect(written(writer, first)).toEqual(onTheWire(first));
    expect(written(writer, { ...first, ...later })).toEqual(onTheWire(later));
    expect(written(writer, first)).toEqual(onTheWire(first));
  });

  it('has what a store has changed within the history or the options that it gave before', () => {
    const writer = new SessionWriter();
    const history = [{ ...say('hello') }];
    const mutable = session({ history, options: { ...options } });
    writer.session(mutable);
    history.push(say('goodbye'));
    expect(written(writer, mutable)).toEqual(onTheWire(mutable));
    const frozen = session({ history: Object.freeze([{ ...say('hello') }]) });
    writer.session(frozen);
    Object.assign(frozen.history[0] ?? {}, { content: 'changed' });
    expect(written(writer, frozen)).toEqual(onTheWire(frozen));
  });
});

describe('the length of what is written', () => {
  const texts = ['hello', 'gr\u00fc\u00df dich', '\u65e5\u672c\u8a9e', '\ud83d\ude00', 'lone \ud800', ''];

  it.each(texts)('is that of its UTF-8: %j', (content) => {
    const writer = new SessionWriter();
    const one = session({ history: Object.freeze([say(content)]) });
    const sessions = [one, { ...one, id: content, duration: 12_345 }, one];
    for (let round = 0; round < 2; round += 1) {
      const json = writer.session(one);
      const page = writer.page(sessions);
      expect([json.bytes, page.bytes]).toEqual([Buffer.byteLength(json.text), Buffer.byteLength(page.text)]);
      expect(JSON.parse(page.text)).toEqual(sessions.map(onTheWire));
    }
    expect(writer.page([])).toEqual({ text: '[]', bytes: 2 });
  });

  it('is not known of what may change', () => {
    const writer = new SessionWriter();
    const mutable = session({ history: [say('hello')] });
    expect(writer.session(mutable).bytes).toBeUndefined();
    expect(writer.page([session(), mutable]).bytes).toBeUndefined();
  });
});
