// A selector that cannot be understood; the server's message for it is the whole message.

/** Thrown by the selector parsers; `message` is what the API server says. */
export class SelectorSyntaxError extends Error {
  override readonly name = "SelectorSyntaxError";
  readonly code = "ERR_SELECTOR_SYNTAX";
}
