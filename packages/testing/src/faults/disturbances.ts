// Disturbs the connection of a test cluster's controllers: faults that a test has asked for, caches
// that stand still, a network that is cut. Below the client, so that all of the real one is used.
import { HomeostatError, type Kind } from "homeostat";
import {
  connectionLost,
  type Exchange,
  type Sink,
  type Transport,
  type TransportRequest,
} from "homeostat/api";
import { formatFault } from "./fault-answer.ts";
import { HeldSink } from "./held-sink.ts";
import { type RequestTarget, targetOf } from "./request-target.ts";
import { FaultTable } from "./test-fault.ts";

/** The caches of one kind. */
export interface TestCache {
  /**
   * Holds back what the controllers' watches of this kind receive: their reads grow stale, up to
   * their own writes. Requests that ask the server itself are answered.
   */
  freeze(): void;
  /** Delivers what was held back, in order. */
  thaw(): void;
}

const server = "the test's API server";

/** All disturbances of one cluster, which outlive a restart of its controllers. */
export class Disturbances {
  readonly faults = new FaultTable();
  readonly #frozen = new Map<string, Kind>();
  readonly #watches = new Set<HeldSink>();
  readonly #open = new Map<Exchange, TransportRequest>();
  #isCut = false;

  cache(kind: Kind): TestCache {
    const id = idOf(kind);
    return {
      freeze: () => void this.#frozen.set(id, kind),
      thaw: () => {
        this.#frozen.delete(id);
        for (const watch of this.#watches) if (watch.id === id) watch.release();
      },
    };
  }

  /** No request arrives any more, and open ones break. */
  partition(): void {
    this.#isCut = true;
    for (const [exchange, request] of this.#open)
      exchange.abort(connectionLost(request, { server, why: "the test has cut the network" }));
  }

  heal(): void {
    this.#isCut = false;
  }

  /** Undoes everything. */
  clear(): void {
    this.faults.clear();
    this.heal();
    for (const kind of this.#frozen.values()) this.cache(kind).thaw();
  }

  /** One sentence for each that is in effect. */
  active(): readonly string[] {
    return [
      ...this.faults.active(),
      ...[...this.#frozen.values()].map(({ kind }) => `the cache of ${kind} is frozen`),
      ...(this.#isCut ? ["the controllers are cut off from the server (partition)"] : []),
    ];
  }

  /** A transport that is disturbed. */
  through(transport: Transport): Transport {
    return {
      get server() {
        return transport.server;
      },
      send: (request, sink) => this.#send(transport, request, sink),
      close: () => transport.close(),
    } as Transport;
  }

  #send(transport: Transport, request: TransportRequest, sink: Sink): Exchange {
    if (this.#isCut) return failing(sink, unreachable());
    const target = targetOf(request);
    const fault = target && this.faults.hit(target);
    if (fault === undefined) return this.#pass(transport, request, { target, sink });
    if (fault === "lost" || fault === "timeout")
      return this.#known(request, (ended) =>
        withoutAnswer(transport, request, { sink, isLost: fault === "lost", ended }),
      );
    return answering(sink, typeof fault === "number" ? { code: fault } : fault, target!);
  }

  /** Sends it, and holds back what a watch receives while its kind is frozen. */
  #pass(
    transport: Transport,
    request: TransportRequest,
    { target, sink }: { readonly target: RequestTarget | undefined; readonly sink: Sink },
  ): Exchange {
    return this.#known(request, (ended) => {
      const id = target?.verb === "watch" ? idOf(target) : "";
      const held = new HeldSink(sink, {
        id,
        isHeld: () => this.#frozen.has(id),
        ended: () => (this.#watches.delete(held), ended()),
      });
      if (id !== "") this.#watches.add(held);
      const sent = transport.send(request, held);
      return {
        resume: () => sent.resume(),
        abort(reason) {
          held.drop(reason);
          sent.abort(reason);
        },
      };
    });
  }

  /** Knows an exchange until it has ended, to break it. */
  #known(request: TransportRequest, send: (ended: () => void) => Exchange): Exchange {
    let isOver = false;
    const exchange = send(() => {
      isOver = true;
      this.#open.delete(exchange);
    });
    if (!isOver) this.#open.set(exchange, request);
    return exchange;
  }
}

const idOf = ({ apiVersion, resource }: Pick<RequestTarget, "apiVersion" | "resource">): string =>
  `${apiVersion}/${resource}`;

/** Takes the answer, and passes none on; a client that gives up is told so. */
function withoutAnswer(
  transport: Transport,
  request: TransportRequest,
  to: { readonly sink: Sink; readonly isLost: boolean; ended(): void },
): Exchange {
  let isOver = false;
  const fail = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    to.ended();
    to.sink.fail(error);
  };
  const sent = transport.send(request, {
    head() {},
    data: () => true,
    end() {
      const why = "the test asked for this fault";
      if (to.isLost) fail(connectionLost(request, { server, why }));
    },
    fail,
  });
  return {
    resume: () => sent.resume(),
    abort(reason) {
      fail(toError(reason));
      sent.abort(reason);
    },
  };
}

function failing(sink: Sink, error: Error): Exchange {
  return later(sink, () => sink.fail(error));
}

function answering(
  sink: Sink,
  answer: Parameters<typeof formatFault>[0],
  target: RequestTarget,
): Exchange {
  const { headers, body } = formatFault(answer, target);
  return later(sink, () => {
    sink.head(answer.code, headers);
    sink.data(body);
    sink.end();
  });
}

/** An exchange without a server. */
function later(sink: Sink, answer: () => void): Exchange {
  let isOver = false;
  const finish = (end: () => void): void => {
    if (isOver) return;
    isOver = true;
    end();
  };
  queueMicrotask(() => finish(answer));
  return { resume() {}, abort: (reason) => finish(() => sink.fail(toError(reason))) };
}

const toError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error("the request was aborted", { cause: reason });

const unreachable = (): HomeostatError =>
  new HomeostatError(
    "ERR_CLIENT_UNREACHABLE",
    `connecting to ${server}: the test has cut the network`,
    { hint: "`cluster.heal()` ends it" },
  );
