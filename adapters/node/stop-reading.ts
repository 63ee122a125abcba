import type { Socket } from 'node:net';

/**
 * Stops reading from a connection until the returned function is called. One `pause` is not enough:
 * Node resumes the socket whenever the body of a request is read.
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
