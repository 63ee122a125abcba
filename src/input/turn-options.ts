import { creation, signal } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { inputOf } from '../schema/read-input.js';
import { type Out, optional } from '../schema/schema.js';
import { capped, number, upTo } from '../schema/values.js';
import {
  DEFAULT_CLAIMS,
  HISTORY_LIMIT,
  MAX_CLAIMS,
  MAX_LEASE_SECONDS,
  TAKE_LIMIT,
} from '../session/limits.js';
import { leaseSeconds, takeLimit } from './command-inputs.js';

const MAX_TIMEOUT_MS = 600_000;

const timeoutMs = optional(number(0, MAX_TIMEOUT_MS), 60_000);

export const turnFields = {
  maxSeconds: optional(number(0.001, MAX_LEASE_SECONDS), 600),
  messages: optional(takeLimit, TAKE_LIMIT),
  historyLimit: optional(capped(0, HISTORY_LIMIT), HISTORY_LIMIT),
  seconds: optional(leaseSeconds, 30),
  attempts: optional(upTo(MAX_CLAIMS), DEFAULT_CLAIMS),
};

const answerOptions = object({ timeoutMs, signal });

export type ParsedAnswerOptions = Out<typeof answerOptions>;

export const parseAnswerOptions = inputOf('options', answerOptions);

const replyOptions = object({ ...turnFields, timeoutMs, create: creation });

export type ParsedReplyOptions = Out<typeof replyOptions>;

export const parseReplyOptions = inputOf('options', replyOptions);
