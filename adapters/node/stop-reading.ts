import type { Socket } from 'node:net';

/**
 * Reads nothing more from a connection, until the function that it gives is called. To pause once is not enough: Node
 * reads on by itself whenever somebody takes in the body of a request.
 */
export const stopReading = (socket: Socket): (() => void) => {
  const pause = () => {
    socket.pause();
  };
  socket.on('resume', pause).pause();
  return () => {
    socket.off('resume', pause).resume();
  };
};
