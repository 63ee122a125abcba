import type { EventDetail } from '../../src/session/event-detail.js';
import { escapeName } from '../shared/escape-name.js';
import { labelTexts } from '../shared/label-texts.js';
import { NEVER } from '../shared/never.js';

/** The last field of an event in a stream; see `RedisEventLog`. */
export const detailText = (detail: EventDetail): string => {
  switch (detail.type) {
    case 'appended': {
      const { start, position, after } = detail;
      return [start, position, ...(after === undefined ? [] : [after])].join('_');
    }
    case 'leased':
    case 'released':
      return escapeName(detail.holder);
    case 'extended':
      return `${detail.limitMs}_${detail.endsAt ?? NEVER}`;
    case 'updated': {
      const labels = labelTexts(detail.labels).join(',') || '-';
      return detail.metadataChanged ? `,${labels}` : labels;
    }
    case 'redacted':
      return detail.positions.join('_');
    case 'terminated':
      return detail.endReason;
    default:
      return '-';
  }
};
