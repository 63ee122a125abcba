type Attributes = Readonly<Record<string, string>>;

/** Creates an element with text or other elements. The page never parses text as HTML. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

/** Creates a button with a click handler. */
export const button = (
  label: string,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement => {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
};

/** An element of the initial document. */
export const elementById = <E extends HTMLElement>(id: string, type: abstract new () => E): E => {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`there is no #${id} of this type`);
};

/**
 * Sets the text if it differs: an unchanged text keeps the selection, and screen readers do not
 * repeat it.
 */
export const setText = (target: HTMLElement, text: string): void => {
  if (target.textContent !== text) target.textContent = text;
};
