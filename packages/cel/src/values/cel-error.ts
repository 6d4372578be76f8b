// Errors of evaluation. They carry no stack: they are common, and && and || absorb them.
// Upstream: github.com/google/cel-go v0.26 common/types/err.go.

/** An evaluation failed; `message` is upstream's text, e.g. `division by zero`. */
export class CelError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The cost limit is exceeded. && and || do not absorb this error. */
export class CostLimitError {
  readonly message = "operation cancelled: actual cost limit exceeded";
}

/** No implementation takes these arguments. */
export const noSuchOverload = (name?: string): CelError =>
  new CelError(name === undefined ? "no such overload" : `no such overload: ${name}`);

/**
 * A conversion that the value does not have, e.g. `type conversion error from 'string' to 'int'`.
 */
export const conversionError = (from: string, to: string): CelError =>
  new CelError(`type conversion error from '${from}' to '${to}'`);
