import type { HandlerRequest } from './session-handler.js';

const preference = /(?:^|,)\s*handling\s*=\s*"?(\w+)/i;

/** Whether a request asks for strict handling (RFC 7240, 4.4): unknown names are then refused. */
export const isStrict = (request: HandlerRequest): boolean => {
  const preferences = request.header('prefer');
  if (preferences === undefined) return false;
  return preference.exec(preferences)?.[1]?.toLowerCase() === 'strict';
};
