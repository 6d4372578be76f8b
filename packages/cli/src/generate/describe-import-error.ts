// An error of a user's module in one line.

/** The message, and the place in the module if the error has one. */
export function describeImportError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = /\(?((?:file:\/\/|\/)[^\s()]+:\d+:\d+)\)?/.exec(error.stack ?? "")?.[1];
  const message = error.message.split("\n")[0] ?? error.name;
  return place === undefined ? message : `${message} (${place.replace("file://", "")})`;
}
