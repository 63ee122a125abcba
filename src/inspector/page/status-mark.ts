import { element } from './dom.js';
import type { SessionRow } from './session-row.js';

/** An end reason in words. */
export const reasonOf = (endReason = ''): string =>
  endReason === 'terminated' ? 'by command' : endReason.replace('_', ' ');

/** Shows a status, and the end reason if there is one. */
export const statusMark = ({
  status,
  end_reason: endReason,
}: Pick<SessionRow, 'status' | 'end_reason'>): HTMLElement => {
  const mark = element('span', { class: `status status-${status}` }, status);
  mark.classList.toggle('status-failed', endReason === 'failed');
  if (endReason !== undefined && endReason !== 'terminated')
    mark.append(` · ${reasonOf(endReason)}`);
  return mark;
};
