import type { Message } from '../../session/message.js';
import { button, element, setText } from './dom.js';
import { entryItem } from './entry-item.js';
import { oneAtATime } from './one-at-a-time.js';
import { getInbox } from './requests.js';
import type { SessionDetail } from './session-row.js';

/** Shows the waiting messages, oldest first. */
export class Inbox {
  readonly #count = element('span');
  readonly #list = element('ol', { class: 'history' });
  readonly part = element(
    'section',
    { class: 'inbox', 'aria-label': 'Inbox', tabindex: '0', hidden: '' },
    element('div', { class: 'history-bar' }, element('h3', {}, 'Inbox'), this.#count),
    this.#list,
  );
  readonly #items = new Map<string, HTMLLIElement>();
  readonly #withdraw: ((messageId: string) => void) | undefined;
  readonly #read: () => Promise<void>;

  /** Without `withdraw`, the messages have no button. */
  constructor(id: string, withdraw: ((messageId: string) => void) | undefined) {
    this.#withdraw = withdraw;
    this.#read = oneAtATime(async () => {
      const answer = await getInbox(id);
      if (answer.ok) this.#draw(answer.value);
    });
  }

  show({ inbox }: SessionDetail): void {
    if (inbox > 0 || this.#items.size > 0) void this.#read();
  }

  /** A waiting message keeps its element, so that its button keeps the focus. */
  #draw(messages: readonly Message[]): void {
    const ids = new Set(messages.map(({ id }) => id));
    for (const [id, item] of this.#items) {
      if (ids.has(id)) continue;
      item.remove();
      this.#items.delete(id);
    }
    for (const message of messages) if (!this.#items.has(message.id)) this.#add(message);
    const { length } = messages;
    this.part.hidden = length === 0;
    setText(this.#count, length === 1 ? '1 message waits' : `${length} messages wait`);
  }

  #add(message: Message): void {
    const item = entryItem(message);
    const withdraw = this.#withdraw;
    if (withdraw !== undefined)
      item.append(button('Withdraw', () => withdraw(message.id), { class: 'entry-more' }));
    this.#items.set(message.id, item);
    this.#list.append(item);
  }
}
