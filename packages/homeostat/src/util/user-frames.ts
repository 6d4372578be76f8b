// The stack of an error that its reader can mend: where their own code was, and nothing else.

/**
 * This package's folder, as frames name it, from its source or from a file of its build; undefined
 * in a user's bundle, which holds their code too.
 */
const ownFolder =
  /^file:\/\/(.*\/)(?:util\/user-frames\.ts|(?<=\/homeostat\/dist\/)chunks\/[^/]+\.js)$/.exec(
    import.meta.url,
  )?.[1];
const ownTest = /\.(test|suite)\.ts:/;

/**
 * The stack without the frames of Node, of packages and of this one. Where none would be left, the
 * first frame is.
 */
export function withUserFrames(stack: string): string {
  const at = stack.indexOf("\n    at ");
  if (at < 0) return stack;
  const frames = stack.slice(at + 1).split("\n");
  const users = frames.filter((frame) => isOfUser(frame));
  return [stack.slice(0, at), ...(users.length > 0 ? users : frames.slice(0, 1))].join("\n");
}

/**
 * Adds the user's frames of `caller` to the stack of an error that has none: it was made after
 * the call had returned its promise. Never throws.
 */
export function addCaller(error: Error, caller: { readonly stack?: string }): void {
  try {
    const { stack = "" } = error;
    const users = framesOf(caller.stack).filter((frame) => isOfUser(frame));
    if (users.length > 0 && !framesOf(stack).some((frame) => isOfUser(frame)))
      error.stack = [stack, ...users].join("\n");
  } catch {
    // An error whose stack cannot be written stays as it is.
  }
}

const framesOf = (stack = ""): readonly string[] =>
  stack.split("\n").filter((line) => line.startsWith("    at "));

/** True for a frame that is neither Node's nor a package's nor under `own`. */
export function isOfUser(frame: string, own = ownFolder): boolean {
  if (!/[/\\].*:\d+:\d+\)?$/.test(frame) || /[( ]node:/.test(frame)) return false;
  if (/[/\\]node_modules[/\\]/.test(frame)) return false;
  return own === undefined || !frame.includes(own) || ownTest.test(frame);
}
