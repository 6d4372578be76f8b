// An answer that goes on: what writes to it is told when its reader is behind.
import type { ServerResponse } from "node:http";

/** The connection of one reader. */
export interface PortStream {
  /** False when the reader is behind: nothing more should be written before it drains. */
  write(text: string): boolean;
  onDrain(drained: () => void): void;
  /** The reader has gone. */
  onClose(closed: () => void): void;
  /** After what has been written. */
  end(): void;
  /** At once. */
  destroy(): void;
}

/** The stream of a response whose head has been written. */
export function portStream(response: ServerResponse): PortStream {
  return {
    write: (text) => response.write(text),
    onDrain: (drained) => void response.on("drain", drained),
    onClose: (closed) => void response.once("close", closed),
    end: () => void response.end(),
    destroy: () => void response.destroy(),
  };
}
