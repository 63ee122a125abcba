import { part, setText } from './dom.js';
import { SessionList } from './session-list.js';
import { type Offers, SessionView } from './session-view.js';
import { visible } from './text.js';

const REFRESH_MS = 5000;

const { tenant = '', events, terminate } = document.body.dataset;
const offers: Offers = { events: events === 'on', terminate: terminate === 'on' };
const main = part('main', HTMLElement);
const detail = part('detail', HTMLElement);
const trouble = part('trouble', HTMLElement);
const list = new SessionList((message) => setText(trouble, message));
let view: SessionView | undefined;

/** The session that the address names behind its `#`, so that it can be kept, sent, and gone back to. */
const named = (): string | undefined => {
  try {
    return decodeURIComponent(location.hash.slice(1)) || undefined;
  } catch {
    return undefined;
  }
};

const close = (): void => {
  history.pushState(null, '', location.pathname + location.search);
  showNamed();
};

const showNamed = (): void => {
  const id = named();
  const former = view?.id;
  if (id === former) return;
  view?.close();
  const onChange = () => void list.refresh();
  view = id === undefined ? undefined : new SessionView(id, offers, { onClose: close, onChange });
  main.classList.toggle('open', view !== undefined);
  detail.hidden = view === undefined;
  list.choose(id);
  if (view === undefined) list.focus(former);
  else view.title.focus();
};

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && view !== undefined && document.querySelector('dialog[open]') === null) close();
});
addEventListener('hashchange', showNamed);
addEventListener('popstate', showNamed);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) void list.refresh();
});
setInterval(() => {
  if (!document.hidden) void list.refresh();
}, REFRESH_MS);

setText(part('tenant', HTMLElement), visible(tenant));
void list.refresh().then(showNamed);
