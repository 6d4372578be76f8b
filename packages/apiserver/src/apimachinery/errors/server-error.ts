// The error of a server that fails to start: what was attempted, what happened, what to do.

export type ServerErrorCode =
  | "ERR_SERVER_PORT_IN_USE"
  | "ERR_SERVER_LISTEN"
  | "ERR_SERVER_DATA_DIR"
  | "ERR_SERVER_IDENTITY"
  | "ERR_SERVER_KUBECONFIG"
  | "ERR_SERVER_OPTION"
  | "ERR_SERVER_ADMISSION_PLUGIN"
  | "ERR_SERVER_AUDIT"
  | "ERR_SERVER_SERVICE_RANGE"
  | "ERR_SERVER_CONTROLLER"
  | "ERR_SERVER_STAGE"
  | "ERR_SERVER_NO_CLIENT_CERTIFICATES";

/** An invalid option of a server. */
export interface OptionFault {
  /** The option's path, e.g. `fakeNodes` or `admissionPlugins.enable`. */
  readonly option: string;
  /** What was expected and what came. */
  readonly problem: string;
}

/** The server did not start, and has released everything that it had opened. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;
  /** The invalid options, if these are the cause. */
  readonly faults: readonly OptionFault[];

  constructor(
    code: ServerErrorCode,
    message: string,
    options: ErrorOptions & { readonly faults?: readonly OptionFault[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.faults = options.faults ?? [];
  }
}

/** The error of a server whose options are invalid; the message lists every fault. */
export const optionError = (
  code: ServerErrorCode,
  faults: readonly OptionFault[],
  options: ErrorOptions = {},
): ServerError =>
  new ServerError(
    code,
    `start the API server: ${faults.map(({ option, problem }) => `${option}: ${problem}`).join("; ")}`,
    { ...options, faults },
  );

/** The message of a thrown value. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
