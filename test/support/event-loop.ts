export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate);
};
