/**
 * The names under which a container knows the parts. Ports are yours to bind, before the modules are loaded
 * (`container.bind`) or after (`container.rebind`): `SessionStore`, `Clock`, `Ids`, `SessionObservers`, `Logger` and `Authenticator`. Symbols of the
 * global registry, so that ES modules and CommonJS mean the same by them.
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
  /** An array of `SessionObserver`; none unless the host binds some. */
  SessionObservers: Symbol.for('colloquy.SessionObservers'),
  /** A `Logger`, for the operations and for the handler; none unless the host binds one. */
  Logger: Symbol.for('colloquy.Logger'),
  /** An `Authenticate`, such as `staticApiKeys` gives. */
  Authenticator: Symbol.for('colloquy.Authenticator'),
  /** A `SessionHandler`, to be mounted. */
  SessionHandler: Symbol.for('colloquy.SessionHandler'),
});
