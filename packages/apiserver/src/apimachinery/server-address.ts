// Where a server listens, as it speaks of itself: in discovery, in its lease, in its own Service.

/** Where a server listens. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Of the machine. */
  readonly hostname: string;
}

/** `127.0.0.1:6443`, or `[::1]:6443`. */
export const hostAndPort = ({ host, port }: ServerAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
