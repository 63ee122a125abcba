import { isFields } from '../input/values.js';
import type { Answer } from './call.js';
import type { HandlerError } from './errors.js';
import type { HandlerRequest } from './message.js';
import type { HandlerSettings } from './settings.js';

/** One request for the inspector, with what the handler has for answering it. */
export interface InspectorCall {
  readonly settings: HandlerSettings;
  readonly request: HandlerRequest;
  /** Whether the host has switched the events on. */
  readonly events: boolean;
  readonly report: (error: HandlerError) => void;
}

/** What `createInspector` of `colloquy/inspector` gives: a page and its routes, for the handler to serve. */
export interface Inspector {
  /** Answers what is under `INSPECTOR_PATH`. Only the handler calls it. */
  serve(call: InspectorCall): Answer;
}

export const INSPECTOR_PATH = '/inspector';

export const isInspector = (value: unknown): value is Inspector =>
  isFields(value) && typeof value['serve'] === 'function';

/** Whether a path is the inspector's to answer, where there is one. */
export const isInspectorUrl = (url: string): boolean => /^\/inspector(?:[/?]|$)/.test(url);
