/** Returns a function that throws this. */
export const throws = (error: unknown) => (): never => {
  throw error;
};
