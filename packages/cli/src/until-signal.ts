// When a server of the command line stops.

/** Resolves on the first SIGTERM or SIGINT, or with `other`; a later signal exits at once. */
export function untilSignal(other?: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = (): void => {
      stopping = true;
      resolve();
    };
    const onSignal = (): void => (stopping ? process.exit(1) : stop());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, onSignal);
    void other?.then(stop);
  });
}
