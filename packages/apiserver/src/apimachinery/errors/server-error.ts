// The error of a server that fails to start: what was attempted, what happened, what to do.

export type ServerErrorCode =
  | "ERR_SERVER_PORT_IN_USE"
  | "ERR_SERVER_LISTEN"
  | "ERR_SERVER_DATA_DIR"
  | "ERR_SERVER_IDENTITY"
  | "ERR_SERVER_KUBECONFIG"
  | "ERR_SERVER_ADMISSION_PLUGIN"
  | "ERR_SERVER_SERVICE_RANGE"
  | "ERR_SERVER_CONTROLLER"
  | "ERR_SERVER_STAGE"
  | "ERR_SERVER_NO_CLIENT_CERTIFICATES";

/** The server did not start, and has released everything that it had opened. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The message of a thrown value. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
