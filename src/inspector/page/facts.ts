import { element, setText } from './dom.js';
import type { SessionDetail } from './sessions.js';
import { showDuration } from './show-duration.js';
import { asDuration, asTime, escapeInvisible } from './text.js';

/** Shows the options, the creation time and the duration of a session. */
export class Facts {
  readonly list = element('dl', { class: 'facts' });
  readonly #duration = element('dd');
  #isFilled = false;

  show(session: SessionDetail): void {
    if (!this.#isFilled) this.#fill(session);
    this.#isFilled = true;
    showDuration(this.#duration, session);
  }

  #fill({ options, created_at: createdAt }: SessionDetail): void {
    const created = element('time', { datetime: createdAt, title: createdAt }, asTime(createdAt));
    const limit = options.time_limit === 0 ? 'none' : asDuration(options.time_limit);
    this.#add('Face', escapeInvisible(options.face));
    this.#add('Profile', escapeInvisible(options.profile));
    this.#add('Behaviour', escapeInvisible(options.behavior));
    this.#add('Context', escapeInvisible(options.context));
    this.#add('Created', created);
    this.#add('Time limit', limit);
    this.list.append(element('dt', {}, 'Duration'), this.#duration);
    setText(this.#duration, '');
  }

  #add(name: string, value: Node | string): void {
    const shown = value === '' ? '–' : value;
    this.list.append(element('dt', {}, name), element('dd', { dir: 'auto' }, shown));
  }
}
