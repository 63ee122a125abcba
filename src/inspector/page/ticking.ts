const drawings = new Map<HTMLElement, () => void>();

/**
 * Draws an element now, and again every second while it is on the page. The latest drawing of an
 * element counts.
 */
export const drawEverySecond = (target: HTMLElement, draw: () => void): void => {
  drawings.set(target, draw);
  draw();
};

export const drawOnce = (target: HTMLElement, draw: () => void): void => {
  drawings.delete(target);
  draw();
};

setInterval(() => {
  for (const [target, draw] of drawings) {
    if (target.isConnected) draw();
    else drawings.delete(target);
  }
}, 1000);
