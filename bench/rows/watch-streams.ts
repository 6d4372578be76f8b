// Watches that count their events: each on a connection, over HTTP/1.1, or many on few connections,
// over HTTP/2 as Go's clients have them.
import { connect, type ClientHttp2Session } from "node:http2";
import { type Client, loadKubeconfig } from "homeostat/client";
import type { Place } from "../places/place.ts";

/** Open watches. */
export interface Watches {
  /**
   * Resolves once `count` events have come, over all watches, beside those awaited before; to false
   * if a watch has ended instead.
   */
  delivered(count: number): Promise<boolean>;
  close(): void;
}

/** Opens `watchers` watches of a path, and waits until all are open. */
export type OpenWatches = (from: {
  readonly place: Place;
  readonly client: Client;
  readonly path: string;
  readonly watchers: number;
}) => Promise<Watches>;

/** One watch: `ready` when it is open, `data` for what comes, `ended` when it should not have. */
interface Receiver {
  ready(): void;
  data(chunk: Uint8Array): void;
  ended(error: unknown): void;
}

/** Counts the lines of all watches that are not awaited yet. */
class Deliveries {
  #count = 0;
  #ended = false;
  #awaited: { readonly count: number; readonly resolve: (all: boolean) => void } | undefined;

  readonly add = (chunk: Uint8Array): void => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) this.#count++;
    this.#settle();
  };

  readonly end = (): void => {
    this.#ended = true;
    this.#settle();
  };

  reached(count: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#awaited = { count, resolve };
      this.#settle();
    });
  }

  #settle(): void {
    if (!this.#awaited) return;
    const { count, resolve } = this.#awaited;
    if (this.#count < count && !this.#ended) return;
    this.#awaited = undefined;
    this.#count -= count;
    resolve(this.#count >= 0);
  }
}

async function openAll(
  watchers: number,
  open: (receiver: Receiver, i: number) => () => void,
): Promise<Watches> {
  const deliveries = new Deliveries();
  let closing = false;
  const closers: (() => void)[] = [];
  const opened = Array.from(
    { length: watchers },
    (_, i) =>
      new Promise<void>((resolve, reject) => {
        const ended = (error: unknown): void => {
          if (closing) return;
          reject(error as Error);
          deliveries.end();
        };
        closers.push(open({ ready: resolve, data: deliveries.add, ended }, i));
      }),
  );
  await Promise.all(opened);
  return {
    delivered: (count) => deliveries.reached(count),
    close() {
      closing = true;
      for (const close of closers) close();
    },
  };
}

/** A connection for each watch. */
export const openSeparately: OpenWatches = ({ client, path, watchers }) =>
  openAll(watchers, ({ ready, data, ended }) => {
    const stream = client.openStream(
      { method: "GET", path },
      {
        opened: ready,
        data(chunk) {
          data(chunk);
          return true;
        },
        closed: ended,
      },
    );
    return () => stream.close();
  });

/** Streams that share an HTTP/2 connection, as the watches of one Go program do. */
const streamsPerConnection = 100;

/** A hundred watches on each connection. */
export const openShared: OpenWatches = async ({ place, path, watchers }) => {
  const { server, tls, auth } = await loadKubeconfig({ path: place.kubeconfigPath });
  const authorization = auth.type === "token" ? `Bearer ${auth.token}` : "";
  const sessions = Array.from({ length: Math.ceil(watchers / streamsPerConnection) }, () =>
    openSession(server, tls.ca),
  );
  const watches = await openAll(watchers, ({ ready, data, ended }, i) => {
    const session = sessions[Math.floor(i / streamsPerConnection)]!;
    const stream = session.request({ ":path": path, authorization, accept: "application/json" });
    stream.on("response", ready).on("data", data).on("error", ended).on("end", ended);
    return () => stream.close();
  });
  return {
    ...watches,
    close() {
      watches.close();
      for (const session of sessions) session.close();
    },
  };
};

/** With the windows of Go's HTTP/2 client: 1 GB a connection, 4 MB a stream (x/net/http2). */
function openSession(server: string, ca: string | undefined): ClientHttp2Session {
  const session = connect(server, {
    ...(ca === undefined ? {} : { ca }),
    settings: { initialWindowSize: 4 << 20, enablePush: false },
  });
  session.on("connect", () => session.setLocalWindowSize(1 << 30));
  return session;
}
