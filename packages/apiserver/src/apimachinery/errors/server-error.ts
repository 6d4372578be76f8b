// Why a server could not be started, for people: what was attempted, what came, what to do.

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

/** The server did not start; nothing is left behind. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The text of whatever was thrown. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
