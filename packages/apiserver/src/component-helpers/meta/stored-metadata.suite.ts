// The metadata of stored objects, for tests.
import type { Metadata } from "homeostat/api";

/** Metadata as the server sets it, with the name as uid, and what `more` says. */
export const storedMetadata = <M extends Partial<Metadata>>(
  name: string,
  more?: M,
): Metadata & M => ({
  name,
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
  ...(more as M),
});
