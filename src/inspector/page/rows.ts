import { percentEncode } from '../../endpoints/endpoint.js';
import { element } from './dom.js';
import type { SessionRow } from './session-row.js';
import { showDuration } from './show-duration.js';
import { statusMark } from './status-mark.js';
import { escapeInvisible } from './text.js';
import { timeAgo } from './time-ago.js';
import { measuresOf, shortUsage } from './usage.js';

/**
 * A row of the list. The element is reused while the session is on the page, so that it keeps the
 * focus.
 */
export interface ListRow {
  readonly id: string;
  readonly row: HTMLTableRowElement;
  readonly link: HTMLAnchorElement;
  update(session: SessionRow): void;
}

export const createListRow = (session: SessionRow): ListRow => {
  const { id, options, created_at: createdAt } = session;
  const link = element('a', { href: `#${percentEncode(id)}`, class: 'mono' }, escapeInvisible(id));
  const status = element('td');
  const duration = element('td', { class: 'number' });
  const text = (value: string) =>
    element('td', { title: escapeInvisible(value), dir: 'auto' }, escapeInvisible(value));
  const created = element('td', {}, timeAgo(createdAt));
  const [face, profile] = [text(options.face), text(options.profile)];
  const row = element('tr', {}, element('td', {}, link), status, face, profile, duration, created);
  row.addEventListener('click', ({ target }) => {
    // The link opens by itself, and a user who has selected text wants to copy it.
    if (target !== link && getSelection()?.type !== 'Range') link.click();
  });
  let drawn = '';
  const update = (now: SessionRow): void => {
    const mark = statusMark(now);
    const measures = measuresOf(now);
    const usage = shortUsage(measures);
    if (usage !== '') mark.append(` · ${usage}`);
    mark.title = [...measures.values()].map(({ text }) => text).join('\n');
    if (now.work !== undefined) mark.append(` · ${now.work.state}`);
    mark.classList.toggle('status-exhausted', now.work?.state === 'exhausted');
    if (mark.outerHTML !== drawn) status.replaceChildren(mark);
    drawn = mark.outerHTML;
    showDuration(duration, now);
  };
  update(session);
  return { id, row, link, update };
};

export const markChosen = (line: ListRow, isChosen: boolean): void => {
  line.row.classList.toggle('chosen', isChosen);
  if (isChosen) line.link.setAttribute('aria-current', 'true');
  else line.link.removeAttribute('aria-current');
};
