import { type Mark, marksThat } from './marks.js';

/** Milliseconds in which a database may still make the change of a process that has died. */
const IN_FLIGHT_MS = 1000;

interface Stop {
  readonly what: 'cancel' | 'rewind' | 'withdraw';
  readonly name: string | undefined;
  /** Somewhere between these, it was made or refused. */
  readonly from: number;
  readonly to: number;
}

/** What users have done to the turns and the inbox of each session. */
export class Stops {
  readonly #bySession = new Map<string, Stop[]>();

  constructor(marks: readonly Mark[]) {
    const heard = new Map(marksThat(marks, 'heard').map(({ call, at }) => [call, at]));
    const died = new Map(marksThat(marks, 'died').map(({ who, at }) => [who, at + IN_FLIGHT_MS]));
    for (const { who, call, what, id, name, at: from } of marksThat(marks, 'asks')) {
      const to = heard.get(call) ?? died.get(who) ?? Number.POSITIVE_INFINITY;
      const stops = this.#bySession.get(id) ?? [];
      stops.push({ what, name, from, to });
      this.#bySession.set(id, stops);
    }
  }

  /** Whether a turn of a session may have been cancelled or rewound in this time. */
  between(id: string, from: number, to: number): boolean {
    const isThen = (stop: Stop) => stop.from <= to && stop.to >= from;
    return this.#of(id).some((stop) => stop.what !== 'withdraw' && isThen(stop));
  }

  /** Whether a message of a session may have been withdrawn, also by an edit. */
  withdraws(id: string, name: string): boolean {
    return this.#of(id).some((stop) => stop.what !== 'cancel' && (stop.name ?? name) === name);
  }

  /** Whether a message that was sent at this time may have been rewound since. */
  rewinds(id: string, begun: number): boolean {
    return this.#of(id).some((stop) => stop.what === 'rewind' && stop.to >= begun);
  }

  #of(id: string): readonly Stop[] {
    return this.#bySession.get(id) ?? [];
  }
}
