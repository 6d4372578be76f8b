// A failure inside structured merge that upstream treats as an ordinary error: an update then loses
// its managedFields, an apply answers 500. Any other error passes through untouched.

/**
 * Thrown by structured merge and by the conversion that a caller brings. The message is upstream's.
 */
export class MergeError extends Error {
  override readonly name = "MergeError";
  readonly code = "ERR_MERGE_FAILED";
}

/** Runs a step; a {@link MergeError} out of it is told with what was attempted in front. */
export function attempt<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof MergeError ? new MergeError(`${what}: ${error.message}`) : error;
  }
}
