// The request that a reflector has open: one at a time. What comes late from an earlier one is
// ignored; a watch that was given up is heard for a while.
import type { ObjectChange } from "../api/transport.ts";
import type { ApiRequest, Client } from "../client/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { LingeringWatch } from "./lingering-watch.ts";

/** What a request brings. Errors that these throw are failures of the request. */
export interface ExchangeHandlers {
  opened(): void;
  data(chunk: Uint8Array): void;
  /** Events of a metadata watch without text, from transports that hand them over so. */
  change?(change: ObjectChange): void;
  ended(): void;
}

export interface CurrentExchangeOptions {
  readonly client: Pick<Client, "openStream">;
  readonly clock: Clock;
  /** Called before the handler of anything that has come. */
  readonly contact: () => void;
  readonly failed: (error: unknown) => void;
  /** Receives how long after its time a watch that was given up brought something. */
  readonly late: (lateMs: number) => void;
}

/** At most one request, and one watch that lingers. */
export class CurrentExchange {
  readonly #options: CurrentExchangeOptions;
  readonly #lingering: LingeringWatch;
  #epoch = 0;
  #exchange: { close(): void } | undefined;

  constructor(options: CurrentExchangeOptions) {
    this.#options = options;
    this.#lingering = new LingeringWatch(options.clock, options.late);
  }

  /** Increases with every request, and when one is closed or given up. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Opens a stream. Its callbacks are ignored once it is closed. */
  open(request: ApiRequest, on: ExchangeHandlers): void {
    const { client, contact, failed } = this.#options;
    const epoch = ++this.#epoch;
    const guard = (run: () => void): void => {
      this.#lingering.heard(epoch);
      if (epoch !== this.#epoch) return;
      try {
        run();
      } catch (error) {
        if (epoch === this.#epoch) failed(error);
      }
    };
    const took = (run: () => void): boolean => {
      guard(() => (contact(), run()));
      return true;
    };
    this.#exchange = client.openStream(request, {
      opened: () => guard(() => on.opened()),
      data: (chunk) => took(() => on.data(chunk)),
      ...(on.change && { change: (change) => took(() => on.change!(change)) }),
      closed: (error) => {
        if (error) this.#lingering.broke(epoch);
        guard(() => (error ? failed(error) : on.ended()));
      },
    });
  }

  close(): void {
    this.#epoch++;
    this.#exchange?.close();
    this.#exchange = undefined;
  }

  /** Gives the request up, but listens to it for `ms`. It must have ended at `dueAt`, monotonic. */
  linger(dueAt: number, ms: number): void {
    const exchange = this.#exchange;
    const epoch = this.#epoch++;
    this.#exchange = undefined;
    if (exchange) this.#lingering.keep({ epoch, exchange, dueAt }, ms);
  }

  /** Listens no longer to what lingers. */
  end(): void {
    this.#lingering.end();
  }
}
