type Attributes = Readonly<Record<string, string>>;

/** An element. What it holds is text or other elements: nothing here, nor anywhere in the page, is read as HTML. */
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

/** A button, and what it does. */
export const button = (label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement => {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', onClick);
  return made;
};

/** A part of the document that is there from the beginning. */
export const elementById = <E extends HTMLElement>(id: string, type: abstract new () => E): E => {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`there is no #${id} of this type`);
};

/** Sets a text where it is another: what stays as it is need not be drawn, selected or read out again. */
export const setText = (target: HTMLElement, text: string): void => {
  if (target.textContent !== text) target.textContent = text;
};
