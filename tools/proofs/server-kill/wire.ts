// Requests of the proof: JSON requests and watch lines. A connection that ends with the server
// counts as no response.
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** What a request sends. */
export interface Sent {
  readonly body: object;
  /** Default `application/json`. */
  readonly type?: string;
  /** Rejects when the connection ends before the response does. */
  readonly needsAnswer?: true;
}

/** Sends one request; undefined when the connection ended before the response did. */
export function call(
  transport: Transport,
  method: string,
  path: string,
  { body, type = "application/json", needsAnswer }: Partial<Sent> = {},
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    let status = 0;
    const chunks: Uint8Array[] = [];
    transport.send(
      {
        method,
        path,
        headers: { accept: "application/json", ...(body ? { "content-type": type } : {}) },
        ...(body ? { body: Buffer.from(JSON.stringify(body)) } : {}),
      },
      {
        head: (code) => void (status = code),
        data: (chunk) => chunks.push(chunk) > 0,
        end: () => resolve({ status, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) }),
        fail(error) {
          if (needsAnswer) reject(new Error(`${method} ${path}: not answered`, { cause: error }));
          else resolve(undefined);
        },
      },
    );
  });
}

/**
 * A watch: each line is given once; resolves to the status of the answer when it has ended, however
 * it ended.
 */
export function watchLines(
  transport: Transport,
  path: string,
  each: (line: unknown) => void,
): { readonly ended: Promise<number>; stop(): void } {
  let stop = (): void => {};
  const ended = new Promise<number>((resolve, reject) => {
    let status = 0;
    let rest = Buffer.alloc(0);
    const take = (chunk: Uint8Array): void => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        each(JSON.parse(rest.subarray(0, end).toString("utf8")));
        rest = rest.subarray(end + 1);
      }
    };
    const exchange = transport.send(
      { method: "GET", path, headers: { accept: "application/json" } },
      {
        head: (code) => void (status = code),
        data(chunk) {
          try {
            take(chunk);
          } catch (error) {
            reject(error);
          }
          return true;
        },
        end: () => resolve(status),
        fail: () => resolve(status),
      },
    );
    stop = () => exchange.abort();
  });
  ended.catch(() => {});
  return { ended, stop: () => stop() };
}
