// What the store refuses, beyond the plain "conflict" that a commit can answer at once.

/**
 * A commit that had to wait for an unacknowledged write of the same key found another revision
 * there afterwards.
 */
export class StoreConflictError extends Error {
  override readonly name = "StoreConflictError";
  readonly code = "ERR_STORE_CONFLICT";
}

/** The store has been closed. */
export class StoreClosedError extends Error {
  override readonly name = "StoreClosedError";
  readonly code = "ERR_STORE_CLOSED";

  constructor(key: string) {
    super(`commit ${key}: the store has been closed; open another one`);
  }
}

/** True for the late conflict of a commit, whatever copy of this package threw it. */
export function isStoreConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STORE_CONFLICT";
}
