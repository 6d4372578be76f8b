// What keeps a process of controllers alive, and can be taken from it at once: as after SIGKILL its
// timers never run, its requests have no answer, and no code of it learns why.
import type { Exchange, Sink, Transport } from "homeostat/api";
import type { Runtime, Timer } from "homeostat/runtime";

/** The life of one process. */
export class Life {
  isOver = false;
  readonly #timers = new Set<Timer>();
  readonly #exchanges = new Set<Exchange>();

  end(): void {
    this.isOver = true;
    for (const timer of this.#timers) timer.cancel();
    for (const exchange of this.#exchanges) exchange.abort(new Error("the process was killed"));
    this.#timers.clear();
    this.#exchanges.clear();
  }

  /** A runtime that does nothing any more once the life is over. */
  runtime({ clock, entropy, defer }: Runtime): Runtime {
    return {
      entropy,
      defer: (run) => defer(() => this.isOver || run()),
      clock: {
        now: () => clock.now(),
        monotonic: () => clock.monotonic(),
        timer: (afterMs, run) => this.#timer(clock, afterMs, run),
        ...(clock.hold && { hold: () => clock.hold!() }),
      },
    };
  }

  /** A transport whose requests have no answer any more once the life is over. */
  transport(transport: Transport): Transport {
    const serverNow = (): Transport["server"] => (this.isOver ? this : transport.server);
    return {
      /** Of a process that is gone, nobody shares the server. */
      get server() {
        return serverNow();
      },
      send: (request, sink) => this.#send((to) => transport.send(request, to), sink),
      close: () => transport.close(),
    } as Transport;
  }

  #timer(clock: Runtime["clock"], afterMs: number, run: () => void): Timer {
    if (this.isOver) return { cancel() {} };
    const timer = clock.timer(afterMs, () => {
      this.#timers.delete(timer);
      run();
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        timer.cancel();
        this.#timers.delete(timer);
      },
    };
  }

  #send(send: (sink: Sink) => Exchange, sink: Sink): Exchange {
    if (this.isOver) return { resume() {}, abort() {} };
    let hasEnded = false;
    const finish = (tell: () => void): void => {
      hasEnded = true;
      this.#exchanges.delete(exchange);
      if (!this.isOver) tell();
    };
    const { change } = sink;
    const exchange = send({
      head: (status, headers) => this.isOver || sink.head(status, headers),
      data: (chunk) => this.isOver || sink.data(chunk),
      ...(change && { change: (one) => this.isOver || change.call(sink, one) }),
      end: () => finish(() => sink.end()),
      fail: (error) => finish(() => sink.fail(error)),
    });
    if (!hasEnded) this.#exchanges.add(exchange);
    return {
      resume: () => this.isOver || exchange.resume(),
      abort: (reason) => this.isOver || exchange.abort(reason),
    };
  }
}
