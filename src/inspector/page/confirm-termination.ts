import { elementById, setText } from './dom.js';
import { escapeInvisible } from './text.js';

/** Asks whether a session is really to be ended. Escape, and whatever else closes the dialog, is a no. */
export const confirmTermination = (id: string): Promise<boolean> => {
  const dialog = elementById('confirm', HTMLDialogElement);
  const yes = elementById('confirm-yes', HTMLButtonElement);
  const no = elementById('confirm-no', HTMLButtonElement);
  setText(
    elementById('confirm-text', HTMLElement),
    `${escapeInvisible(id)} ends for everybody who is in it, and cannot be started again.`,
  );
  return new Promise((resolve) => {
    let answer = false;
    yes.onclick = () => {
      answer = true;
      dialog.close();
    };
    no.onclick = () => dialog.close();
    // The event comes a moment after the dialog has closed: by then it may have been opened again.
    dialog.onclose = () => {
      if (!dialog.open) resolve(answer);
    };
    dialog.showModal();
    no.focus();
  });
};
