/**
 * Time, randomness and deferral as parameters.
 * @module homeostat/runtime
 */
export type { Clock, Timer } from "./clock.ts";
export { type Entropy, unitInterval, uuid } from "./entropy.ts";
export type { Runtime } from "./runtime.ts";
export { createSystemRuntime } from "./system-runtime.ts";
export { createVirtualRuntime, type VirtualRuntime } from "./virtual-runtime.ts";
