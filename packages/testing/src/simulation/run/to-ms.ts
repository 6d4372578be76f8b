// Durations as users write them.
import { parseDuration } from "homeostat/api";

/** Milliseconds of `10m`, `1h30m`, or of a number of ms. @throws ERR_DURATION */
export const toMs = (duration: string | number): number =>
  typeof duration === "number" ? duration : parseDuration(duration);
