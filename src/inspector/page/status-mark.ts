import { element } from './dom.js';
import type { SessionRow } from './session-row.js';

const reasons: Readonly<Record<string, string>> = {
  terminated: 'by command',
  failed: 'failed',
  time_limit: 'time limit',
  idle_timeout: 'idle timeout',
  inactive: 'inactive',
};

export const reasonOf = (endReason = ''): string => reasons[endReason] ?? endReason;

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
