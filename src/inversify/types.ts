/**
 * Service identifiers. A host may bind the ports `SessionStore`, `Clock`, `Ids`,
 * `SessionObservers`, `Logger` and `Authenticator`: before the modules are loaded with
 * `container.bind`, afterwards with `container.rebind`. The identifiers are symbols of the global
 * registry, the same for ES modules and CommonJS.
 */
export const TYPES = Object.freeze({
  /** A `SessionService`. */
  SessionService: Symbol.for('colloquy.SessionService'),
  /** A `SessionStore`. */
  SessionStore: Symbol.for('colloquy.SessionStore'),
  /** A `Clock`. */
  Clock: Symbol.for('colloquy.Clock'),
  /** An `Ids`. */
  Ids: Symbol.for('colloquy.Ids'),
  /** An array of `SessionObserver`; not bound by default. */
  SessionObservers: Symbol.for('colloquy.SessionObservers'),
  /** A `Logger` for the handler; not bound by default. */
  Logger: Symbol.for('colloquy.Logger'),
  /** An `Authenticate`, for example from `staticApiKeys`. */
  Authenticator: Symbol.for('colloquy.Authenticator'),
  /** A `SessionHandler`. */
  SessionHandler: Symbol.for('colloquy.SessionHandler'),
});
