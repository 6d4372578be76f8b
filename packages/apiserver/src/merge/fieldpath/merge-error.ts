// Errors of structured merge that upstream handles: an update then drops managedFields, and an
// apply responds with 500. All other errors propagate unchanged.

/** Thrown by structured merge and by its callers' conversions. The message is upstream's. */
export class MergeError extends Error {
  override readonly name = "MergeError";
  readonly code = "ERR_MERGE_FAILED";
}

/** Runs a step, and prefixes the message of its {@link MergeError} with what was attempted. */
export function attempt<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof MergeError ? new MergeError(`${what}: ${error.message}`) : error;
  }
}
