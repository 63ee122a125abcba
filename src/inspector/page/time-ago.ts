import { element, setText } from './dom.js';
import { serverNow } from './server-clock.js';
import { asAge, asTime, escapeInvisible } from './text.js';
import { drawEverySecond } from './ticking.js';

/** Shows how long ago a time was, and in its tooltip the time itself. */
export const timeAgo = (timestamp: string): HTMLTimeElement => {
  const title = `${asTime(timestamp)}\n${escapeInvisible(timestamp)}`;
  const time = element('time', { datetime: timestamp, title });
  drawEverySecond(time, () => setText(time, asAge(timestamp, serverNow())));
  return time;
};
