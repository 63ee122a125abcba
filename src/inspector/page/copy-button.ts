import { button, setText } from './dom.js';

const LABEL = 'Copy id';
const SHOWN_MS = 2000;

const copied = async (text: string): Promise<boolean> => {
  try {
    // Missing on a page that came over plain HTTP from another machine.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * A button that copies a text. Without access to the clipboard, it selects the text on the page.
 */
export const copyButton = (text: string, shown: HTMLElement): HTMLButtonElement => {
  const copy = async (): Promise<void> => {
    const isCopied = await copied(text);
    if (!isCopied) getSelection()?.selectAllChildren(shown);
    setText(control, isCopied ? 'Copied' : 'Press Ctrl+C');
    setTimeout(() => setText(control, LABEL), SHOWN_MS);
  };
  const control = button(LABEL, () => void copy(), { class: 'copy' });
  return control;
};
