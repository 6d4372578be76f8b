// What passes between a server and its clients in this process: which requests have no answer yet,
// and whether anything has happened since one looked. Tells when nothing is left to happen.
import type { Exchange, Sink, Transport, TransportRequest } from "homeostat/api";

/** A request without an answer; of a watch, its opening. */
export interface OpenRequest {
  readonly method: string;
  readonly path: string;
  readonly userAgent: string;
}

/** Counts and shows what passes through transports. */
export class Traffic {
  /** Grows with every request, answer and event. */
  ticks = 0;
  readonly #open = new Set<OpenRequest>();

  /** Requests without an answer, the oldest first. */
  open(): readonly OpenRequest[] {
    return [...this.#open];
  }

  get isQuiet(): boolean {
    return this.#open.size === 0;
  }

  /** A transport whose traffic counts here. */
  through(transport: Transport): Transport {
    return {
      ...(transport.server === undefined ? {} : { server: transport.server }),
      send: (request, sink) => this.#send(transport, request, sink),
      close: () => transport.close(),
    };
  }

  #send(transport: Transport, request: TransportRequest, sink: Sink): Exchange {
    const { method, path, headers } = request;
    const open: OpenRequest = { method, path, userAgent: headers["user-agent"] ?? "" };
    this.ticks++;
    this.#open.add(open);
    const passed = (isAnswered: boolean): void => {
      this.ticks++;
      if (isAnswered) this.#open.delete(open);
    };
    const { change } = sink;
    return transport.send(request, {
      head(status, answered) {
        passed(isWatch(path));
        sink.head(status, answered);
      },
      data(chunk) {
        passed(false);
        return sink.data(chunk);
      },
      ...(change && {
        change(one) {
          passed(false);
          return change.call(sink, one);
        },
      }),
      end() {
        passed(true);
        sink.end();
      },
      fail(error) {
        passed(true);
        sink.fail(error);
      },
    });
  }
}

/** True for the path of a watch, whose answer goes on. */
export const isWatch = (path: string): boolean => /[?&]watch=(?:1|true)(?:&|$)/.test(path);
