// The connection of one simulated process to the server. What is sent, answered and watched waits
// in lanes until the world lets it happen, one thing at a time. When the process is killed, what
// the server has got is carried out, what waits is lost, and the process hears nothing any more.
import type { Exchange, Sink, Transport, TransportRequest } from "homeostat/api";
import type { Lanes } from "../run/lanes.ts";
import { describeEvent, type EventHead, readEvent } from "./read-event.ts";
import { describeTarget, isWrite, readRequest } from "./read-request.ts";
import type { ForgedAnswer, Interference, Sent } from "./interference.ts";
import { resetError } from "./reset-error.ts";
import { SimulatedWatch } from "./simulated-watch.ts";

/** A connection that can be cut. */
export interface SimulatedTransport extends Transport {
  kill(): void;
  /** Requests that the process has sent and not heard of, watches left out. */
  readonly inFlight: number;
}

/** What a connection needs. */
export interface Connection {
  readonly inner: Transport;
  /** For the trace. */
  readonly process: string;
  readonly lanes: Lanes;
  readonly interference: Interference;
  /** Runs code as a part of the process. */
  within(code: () => void): void;
}

export function createSimulatedTransport(connection: Connection): SimulatedTransport {
  const open = new Set<SimulatedExchange>();
  let isDead = false;
  return {
    get inFlight() {
      return [...open].filter(({ isStream }) => !isStream).length;
    },
    send(request, sink) {
      const exchange = new SimulatedExchange(connection, request, sink, () =>
        open.delete(exchange),
      );
      if (isDead) return exchange;
      open.add(exchange);
      exchange.begin();
      return exchange;
    },
    kill() {
      isDead = true;
      for (const exchange of open) exchange.kill();
      open.clear();
    },
    close: () => Promise.resolve(),
  };
}

class SimulatedExchange implements Exchange {
  readonly isStream: boolean;
  readonly #connection: Connection;
  readonly #request: TransportRequest;
  readonly #sink: Sink;
  readonly #ended: () => void;
  readonly #sent: Sent;
  #forwarded: Exchange | undefined;
  #isOver = false;

  constructor(connection: Connection, request: TransportRequest, sink: Sink, ended: () => void) {
    this.#connection = connection;
    this.#request = request;
    this.#sink = sink;
    this.#ended = ended;
    const info = readRequest(request.method, request.path);
    this.isStream = info.verb === "watch" || request.path.includes("follow=true");
    this.#sent = { info, isWrite: isWrite(info), body: request.body };
  }

  get #what(): string {
    return `${this.#sent.info.verb} ${describeTarget(this.#sent.info)}`;
  }

  begin(): void {
    this.#happens(this.#what, () => this.#decide());
  }

  resume(): void {
    this.#connection.lanes.release(this);
  }

  abort(reason?: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#forwarded?.abort(reason);
    this.#sink.fail(
      reason instanceof Error ? reason : new Error("the exchange was aborted", { cause: reason }),
    );
  }

  kill(): void {
    this.#isOver = true;
    this.#connection.lanes.drop(this);
    // What the server has begun it ends; a watch ends with its connection.
    if (this.isStream) this.#forwarded?.abort();
  }

  #happens(what: string, run: () => void): void {
    const { lanes, process } = this.#connection;
    lanes.add(this, { what, process, run });
  }

  /** As `#happens`, in the process. */
  #isHeard(what: string, run: () => void): void {
    this.#happens(what, () => this.#connection.within(run));
  }

  #decide(): void {
    const fate = this.#connection.interference.request(this.#sent);
    if (fate === "send") this.#forward();
    else if (fate === "cut") this.#breakOff();
    else if ("released" in fate) void fate.released.then(() => this.#forward());
    else this.#answer(fate);
  }

  #forward(): void {
    const refused = this.#request.refusal?.();
    if (refused) return this.abort(refused);
    const { inner } = this.#connection;
    this.#forwarded = inner.send(this.#request, this.isStream ? this.#streamed() : this.#whole());
    if (this.#isOver && this.isStream) this.#forwarded.abort();
  }

  /** Collects the answer, which happens as one. */
  #whole(): Sink {
    const chunks: Uint8Array[] = [];
    let head: Pick<ForgedAnswer, "status" | "headers"> = { status: 0, headers: {} };
    return {
      head: (status, headers) => void (head = { status, headers }),
      data: (chunk) => {
        chunks.push(chunk);
        return true;
      },
      end: () => this.#answered({ ...head, body: joined(chunks) }),
      fail: (error) => this.#breakOff(error),
    };
  }

  #answered(answer: ForgedAnswer): void {
    const { interference } = this.#connection;
    const fate = interference.answer(this.#sent, answer.status, answer.body);
    if (fate === "deliver") this.#answer(answer);
    else if (fate === "cut") this.#breakOff();
  }

  #answer({ status, headers, body }: ForgedAnswer): void {
    if (this.#isOver) return;
    this.#isHeard(`${status} to ${this.#what}`, () => {
      this.#sink.head(status, headers);
      if (body.length > 0 && !this.#isOver) this.#sink.data(body);
      if (this.#isOver) return;
      this.#end();
      this.#sink.end();
    });
  }

  #breakOff(error: Error = resetError()): void {
    if (this.#isOver) return;
    this.#isHeard(`${this.#what} breaks off`, () => {
      this.#end();
      this.#sink.fail(error);
    });
  }

  #streamed(): Sink {
    const { interference } = this.#connection;
    const watch = new SimulatedWatch({
      fate: (frame) => interference.event(this.#sent, frame),
      frame: (frame) => this.#frame(frame),
      end: () => this.#endWatch(),
    });
    return {
      head: (status, headers) =>
        this.#isHeard(`${status} to ${this.#what}`, () => this.#sink.head(status, headers)),
      data: (chunk) => {
        if (!this.#isOver) watch.take(chunk);
        return true;
      },
      end: () => watch.end(),
      fail: (error) => this.#breakOff(error),
    };
  }

  #frame(frame: Uint8Array): void {
    if (this.#isOver) return;
    const head: EventHead = readEvent(frame);
    this.#isHeard(`event ${this.#sent.info.resource} ${describeEvent(head)}`, () => {
      // A receiver that asks for a pause gets nothing more until it asks for more.
      if (!this.#sink.data(frame)) this.#connection.lanes.hold(this);
    });
  }

  #endWatch(): void {
    if (this.#isOver) return;
    this.#forwarded?.abort();
    this.#isHeard(`${this.#what} ends`, () => {
      this.#end();
      this.#sink.end();
    });
  }

  #end(): void {
    this.#isOver = true;
    this.#connection.lanes.drop(this);
    this.#ended();
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = chunks;
  return only !== undefined && more.length === 0 ? only : Buffer.concat(chunks);
}
