import { elementById, setText } from './dom.js';
import { escapeInvisible } from './text.js';

/**
 * Asks the user to confirm the termination. Closing the dialog without an answer, for example with
 * Escape, means no.
 */
export const confirmTermination = (id: string): Promise<boolean> => {
  const dialog = elementById('confirm', HTMLDialogElement);
  const yes = elementById('confirm-yes', HTMLButtonElement);
  const no = elementById('confirm-no', HTMLButtonElement);
  setText(
    elementById('confirm-text', HTMLElement),
    `${escapeInvisible(id)} ends for all participants and cannot be restarted.`,
  );
  return new Promise((resolve) => {
    let answer = false;
    yes.onclick = () => {
      answer = true;
      dialog.close();
    };
    no.onclick = () => dialog.close();
    // The event follows the closing: the dialog may have been opened again before it.
    dialog.onclose = () => {
      if (!dialog.open) resolve(answer);
    };
    dialog.showModal();
    no.focus();
  });
};
