import { cutText } from '../../session/cut-text.js';
import { button, element } from './dom.js';
import type { Entry } from './session-row.js';
import { asCount, asTime, escapeInvisible } from './text.js';
import { toolCallNames } from './tool-calls.js';

/** Maximum characters that are shown before the user asks for the rest. */
const SHOWN = 4000;

const dataOf = (data: unknown): HTMLElement => {
  const names = toolCallNames(data);
  const title = names.length === 0 ? 'Data' : `Tool calls: ${names.join(', ')}`;
  const json = JSON.stringify(data, undefined, 2);
  const shown = json.length > SHOWN ? `${cutText(json, SHOWN)}…` : json;
  const pre = element('pre', {}, escapeInvisible(shown));
  return element(
    'details',
    { class: 'entry-data' },
    element('summary', {}, escapeInvisible(title)),
    pre,
  );
};

/** The list item of an entry or a message. The content is shown as plain text. */
export const entryItem = ({
  role,
  content,
  timestamp,
  id,
  data,
}: Omit<Entry, 'position'>): HTMLLIElement => {
  const time = element(
    'time',
    { datetime: timestamp, title: escapeInvisible(timestamp) },
    asTime(timestamp),
  );
  const head = element(
    'div',
    { class: 'entry-head' },
    element('b', { dir: 'auto' }, escapeInvisible(role)),
    time,
  );
  const text = element(
    'div',
    { class: 'content', dir: 'auto' },
    escapeInvisible(cutText(content, SHOWN)),
  );
  const item = element('li', {}, head, text);
  if (id !== undefined) head.append(element('code', { class: 'entry-id' }, escapeInvisible(id)));
  if (data !== undefined) item.append(dataOf(data));
  if (role === 'assistant' || role === 'user') item.dataset['role'] = role;
  if (content.length > SHOWN) {
    const more = button(`Show all ${asCount(content.length)} characters`, () => {
      text.textContent = escapeInvisible(content);
      more.remove();
    });
    more.className = 'entry-more';
    item.append(more);
  }
  return item;
};
