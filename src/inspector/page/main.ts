import { elementById, setText } from './dom.js';
import { followList } from './list-follower.js';
import { SessionList } from './session-list.js';
import { type Features, SessionView } from './session-view.js';
import { escapeInvisible } from './text.js';

const { tenant = '', events, write } = document.body.dataset;
const features: Features = { events: events === 'on', write: write === 'on' };
const main = elementById('main', HTMLElement);
const detail = elementById('detail', HTMLElement);
const trouble = elementById('trouble', HTMLElement);
const list = new SessionList((message) => setText(trouble, message));
let view: SessionView | undefined;

/** The session id after the `#` of the URL, so that a session can be bookmarked and shared. */
const idInAddress = (): string | undefined => {
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
  const id = idInAddress();
  const former = view?.id;
  if (id === former) return;
  view?.close();
  const onChange = () => void list.refresh();
  view = id === undefined ? undefined : new SessionView(id, features, { onClose: close, onChange });
  main.classList.toggle('open', view !== undefined);
  detail.hidden = view === undefined;
  list.choose(id);
  if (view === undefined) list.focus(former);
  else view.title.focus();
};

document.addEventListener('keydown', ({ key, target }) => {
  if (key !== 'Escape' || target instanceof HTMLInputElement) return;
  if (view !== undefined && document.querySelector('dialog[open]') === null) close();
});
addEventListener('hashchange', showNamed);
addEventListener('popstate', showNamed);

setText(elementById('tenant', HTMLElement), escapeInvisible(tenant));
void list.refresh().then(showNamed);
followList(features.events, () => list.refresh());
