import { element, setText } from './dom.js';
import type { Whole } from './sessions.js';
import { showDuration } from './show-duration.js';
import { asDuration, asTime, visible } from './text.js';

/** What a session was created with, and how long it has been active. */
export class Facts {
  readonly list = element('dl', { class: 'facts' });
  readonly #duration = element('dd');
  #isFilled = false;

  show(session: Whole): void {
    if (!this.#isFilled) this.#fill(session);
    this.#isFilled = true;
    showDuration(this.#duration, session);
  }

  #fill({ options, created_at: createdAt }: Whole): void {
    const created = element('time', { datetime: createdAt, title: createdAt }, asTime(createdAt));
    const limit = options.time_limit === 0 ? 'none' : asDuration(options.time_limit);
    this.#add('Face', visible(options.face));
    this.#add('Profile', visible(options.profile));
    this.#add('Behaviour', visible(options.behavior));
    this.#add('Context', visible(options.context));
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
