import { button, element } from './dom.js';
import type { Entry } from './sessions.js';
import { asCount, asTime, escapeInvisible } from './text.js';

/** Maximum number of characters that are shown before the user asks for the rest. */
const SHOWN = 4000;

/** The list item of a history entry. The content is shown as plain text. */
export const entryItem = ({ role, content, timestamp }: Entry): HTMLLIElement => {
  const time = element('time', { datetime: timestamp, title: escapeInvisible(timestamp) }, asTime(timestamp));
  const head = element('div', { class: 'entry-head' }, element('b', { dir: 'auto' }, escapeInvisible(role)), time);
  const text = element('div', { class: 'content', dir: 'auto' }, escapeInvisible(content.slice(0, SHOWN)));
  const item = element('li', {}, head, text);
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
