// Errors of the store, besides the "conflict" that a commit returns at once.

/** A commit waited for an unacknowledged write of its key, and then found another revision. */
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

/** True for StoreConflictError, also from another copy of this package. */
export function isStoreConflict(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_STORE_CONFLICT";
}
