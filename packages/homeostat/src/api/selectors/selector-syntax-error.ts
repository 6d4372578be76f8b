// The error for an invalid selector, with the API server's message.

/** Thrown by the selector parsers; `message` is that of the API server. */
export class SelectorSyntaxError extends Error {
  override readonly name = "SelectorSyntaxError";
  readonly code = "ERR_SELECTOR_SYNTAX";
}
