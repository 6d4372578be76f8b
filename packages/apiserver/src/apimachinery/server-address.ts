// The address of a server as it publishes it: in discovery, in its lease, in its own Service.

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** The name of the machine. */
  readonly hostname: string;
}

/** `127.0.0.1:6443`, or `[::1]:6443`. */
export const hostAndPort = ({ host, port }: ServerAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
