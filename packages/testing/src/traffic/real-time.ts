// Real time, which passes for the test whatever its cluster's clock shows. Waiting keeps the
// process alive.

/** Milliseconds that never go back. */
export const realNow = (): number => performance.now();

/** Waits so many milliseconds. */
export const pauseFor = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** A turn of the event loop, with all its phases. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
