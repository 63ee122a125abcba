import { err } from 'neverthrow';
import { misconfigured } from '../session/errors.js';
import { hasMethods } from '../session/fields.js';
import type { Answer, Call } from './route.js';

/** Checks the method on each call, because a host's sessions may lack what only some routes call. */
export const requiringMethod =
  <S>(method: string, answer: (call: Call<S>) => Answer): ((call: Call<S>) => Answer) =>
  async (call) => {
    if (hasMethods(call.sessions, method)) return answer(call);
    return err(misconfigured(`sessions must have ${method} for ${call.operation.path}`));
  };
