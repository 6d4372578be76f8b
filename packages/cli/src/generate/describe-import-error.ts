// An error of a user's module in one line.

/** The message, and the place in the user's code if the error has one. */
export function describeImportError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = placeOf(error.stack ?? "");
  const message = error.message.split("\n")[0] ?? error.name;
  return place === undefined ? message : `${message} (${place.replace("file://", "")})`;
}

/** Node puts the place of an error of syntax, or of a missing export, before the message. */
const syntaxPlace = /^(?:file:\/\/|\/|[A-Z]:\\)[^\n]*:\d+$/;

function placeOf(stack: string): string | undefined {
  const [first = "", ...others] = stack.split("\n");
  if (syntaxPlace.test(first)) return first;
  // Frames after those of Node's loader are of the program that imports the module.
  const loader = others.findIndex((line) => line.includes("(node:internal/modules/"));
  const places = others
    .slice(0, loader === -1 ? undefined : loader)
    .flatMap((line) => /^\s+at (?:.*\()?((?:file:\/\/|\/).+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  return places.find((place) => !place.includes("/node_modules/")) ?? places[0];
}
