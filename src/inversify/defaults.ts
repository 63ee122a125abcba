import type { BindToFluentSyntax, ContainerModuleLoadOptions } from 'inversify';

/** The part of a container that is open to a module while it is being loaded. */
export type Loading = Pick<ContainerModuleLoadOptions, 'bind' | 'isBound'>;

/**
 * Binds what a host has not bound itself. So modules add what is lacking and replace nothing, whichever is loaded
 * first, and what a host binds afterwards it puts in their place with `container.rebind`.
 */
export const bindDefault = <T>(
  { bind, isBound }: Loading,
  token: symbol,
  define: (binding: BindToFluentSyntax<T>) => unknown,
): void => {
  if (!isBound(token)) define(bind<T>(token));
};
