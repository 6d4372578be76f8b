// What a refused write says about the own Lease. Pure.
import { isApiStatusError, isNotFound } from "../../api/status.ts";
import type { WriteFault } from "./ring-state.ts";

export function faultOf(error: unknown): WriteFault {
  if (isNotFound(error)) return "gone";
  return isApiStatusError(error) && error.status.code === 409 ? "changed" : "failed";
}
