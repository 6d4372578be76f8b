// The public interface of this folder.
export type { Mismatch } from "../api/resource/compile-structure.ts";
export type { Comparison } from "./comparison.ts";
export {
  type CachedKind,
  type CachedKindOptions,
  type CacheOptions,
  createCache,
} from "./create-cache.ts";
export type {
  Cache,
  CachedObject,
  Freshness,
  HandlerCause,
  IndexFunction,
  IndexOptions,
  Informer,
  InformerHandler,
  InformerLease,
  InformerScope,
  InformerStats,
  Reader,
  SkippedObject,
} from "./informer.ts";
export { reflectorDefaults, type ReflectorLimits } from "./reflector-state.ts";
