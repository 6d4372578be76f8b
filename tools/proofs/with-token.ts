import type { Transport } from "../../packages/homeostat/src/api/transport.ts";

/** Sends a bearer token with each request that names no credential itself. */
export const withToken = (transport: Transport, token: string): Transport => ({
  send: ({ headers, ...request }, sink) =>
    transport.send({ ...request, headers: { authorization: `Bearer ${token}`, ...headers } }, sink),
  close: () => transport.close(),
});
