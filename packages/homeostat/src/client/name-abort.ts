// The request in the error of an abort that says nothing of itself.

/**
 * What `abort()` without a reason, and `AbortSignal.timeout`, reject with, as an error of the same
 * name that names the request; other errors as they are.
 */
export function nameAbort(error: Error, { method, path }: NamedRequest): Error {
  if (!(error instanceof DOMException)) return error;
  const { name, message } = error;
  return new DOMException(`${method} ${path}: ${message}`, { name, cause: error });
}

interface NamedRequest {
  readonly method: string;
  readonly path: string;
}
