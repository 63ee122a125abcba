import { part, setText } from './dom.js';
import { visible } from './text.js';

/** Asks whether a session is really to be ended. Escape, and whatever else closes the dialog, is a no. */
export const confirmTermination = (id: string): Promise<boolean> => {
  const dialog = part('confirm', HTMLDialogElement);
  const yes = part('confirm-yes', HTMLButtonElement);
  const no = part('confirm-no', HTMLButtonElement);
  setText(
    part('confirm-text', HTMLElement),
    `${visible(id)} ends for everybody who is in it, and cannot be started again.`,
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
