// Decides what a delete does to an object: mark it, remove it, or leave it as it is. Pure but for
// the strategy's functions.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go
// (deletionFinalizersForGarbageCollection, markAsDeleting), pkg/registry/rest/delete.go
// (BeforeDelete).
import { cloneJson, equalJson, type JsonObject } from "homeostat/api";
import {
  finalizersOf,
  gracePeriodSecondsOf,
  isDeleting,
  metadataOf,
  metaNumber,
  metaString,
} from "../../apimachinery/meta/read-meta.ts";
import { formatSeconds } from "../request/server-request.ts";
import type { DeleteOptions } from "../../apimachinery/rest/delete-options.ts";
import type { DeletionRule, Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";

/**
 * The outcome; `hub` is the object to store. A grace period of zero is stored before the object
 * goes. `pending`: a deletion that has begun goes on, and nothing is asked of admission.
 */
export type DeletionPlan =
  | { readonly at: "remove" }
  | { readonly at: "unchanged" | "pending" }
  | { readonly at: "mark" | "mark, then remove"; readonly hub: JsonObject };

/** Plans the deletion of `live`, which it does not change. */
export function planDeletion(
  strategy: Strategy,
  live: JsonObject,
  options: DeleteOptions,
  { context, nowMs }: { readonly context: WriteContext; readonly nowMs: number },
): DeletionPlan {
  if (strategy.deletion) {
    if (!isDeleting(live))
      return { at: "mark", hub: markByRule(strategy.deletion, live, options, context) };
    if (strategy.deletion.holds(live)) return { at: "pending" };
  }
  const hub = cloneJson(live);
  const graceful = grace(strategy, hub, options, nowMs);
  if (graceful === "pending") return { at: "pending" };
  const finalizers = finalizersFor(strategy, finalizersOf(hub), options);
  setFinalizers(hub, finalizers);
  if (graceful === "marked")
    return {
      at: finalizers.length || gracePeriodSecondsOf(hub) > 0 ? "mark" : "mark, then remove",
      hub,
    };
  if (!finalizers.length) return { at: "remove" };
  markDeleting(hub, nowMs);
  return equalJson(hub, live) ? { at: "unchanged" } : { at: "mark", hub };
}

function markByRule(
  rule: DeletionRule,
  live: JsonObject,
  options: DeleteOptions,
  context: WriteContext,
): JsonObject {
  const hub = cloneJson(live);
  if (!rule.ignoresPropagation) setFinalizers(hub, finalizersByRule(finalizersOf(hub), options));
  rule.mark(hub, context);
  return hub;
}

function setFinalizers(hub: JsonObject, finalizers: readonly string[]): void {
  if (finalizers.length) metadataOf(hub).finalizers = [...finalizers];
  else delete metadataOf(hub).finalizers;
}

/**
 * The finalizers of a kind with a deletion rule: "do not orphan" means foreground, and both may be
 * present.
 */
function finalizersByRule(
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): readonly string[] {
  if (orphanDependents === undefined && propagationPolicy === undefined) return finalizers;
  let wanted = propagationPolicy;
  if (orphanDependents !== undefined) wanted = orphanDependents ? "Orphan" : "Foreground";
  const others = finalizers.filter(
    (finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion",
  );
  if (wanted === "Orphan") others.push("orphan");
  if (wanted === "Foreground") others.push("foregroundDeletion");
  return others;
}

/** Sets the deletion time to now with no grace; raises the generation once. */
export function markDeleting(object: JsonObject, nowMs: number): void {
  const metadata = metadataOf(object);
  const generation = metaNumber(object, "generation") ?? 0;
  if (!isDeleting(object) && generation > 0) metadata.generation = generation + 1;
  const before = Date.parse(metaString(object, "deletionTimestamp"));
  if (!(before <= nowMs)) metadata.deletionTimestamp = formatSeconds(nowMs);
  metadata.deletionGracePeriodSeconds = 0;
}

/**
 * The finalizers that a delete leaves: those of the requested propagation policy, else of the
 * policy that finalizers on the object stand for, else of the kind's default.
 */
export function finalizersFor(
  strategy: Strategy,
  finalizers: readonly string[],
  options: DeleteOptions,
): readonly string[] {
  const policy = propagationOf(strategy, finalizers, options);
  const others = finalizers.filter(
    (finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion",
  );
  if (policy === "Orphan") others.push("orphan");
  if (policy === "Foreground") others.push("foregroundDeletion");
  // An unchanged list keeps its order.
  return others.length === finalizers.length &&
    others.every((finalizer) => finalizers.includes(finalizer))
    ? finalizers
    : others;
}

function propagationOf(
  strategy: Strategy,
  finalizers: readonly string[],
  { orphanDependents, propagationPolicy }: DeleteOptions,
): string {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (propagationPolicy !== undefined) return propagationPolicy;
  const standing = finalizers.find(
    (finalizer) => finalizer === "orphan" || finalizer === "foregroundDeletion",
  );
  if (standing) return standing === "orphan" ? "Orphan" : "Foreground";
  return strategy.defaultPropagation;
}

/**
 * The grace period: "none" for kinds without, "marked" when `hub` now carries it, "pending" when a
 * period already runs that this delete does not shorten.
 */
function grace(
  strategy: Strategy,
  hub: JsonObject,
  options: DeleteOptions,
  nowMs: number,
): "none" | "marked" | "pending" {
  const { gracePeriodSeconds: asked } = options;
  const requested = asked !== undefined && asked < 0 ? 1 : asked;
  if (!strategy.gracePeriod) return "none";
  if (isDeleting(hub)) return shorten(hub, requested, nowMs);
  const seconds = strategy.gracePeriod(hub, requested);
  if (seconds === undefined) return "none";
  const metadata = metadataOf(hub);
  const generation = metaNumber(hub, "generation") ?? 0;
  metadata.deletionTimestamp = formatSeconds(nowMs + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  if (generation > 0) metadata.generation = generation + 1;
  return "marked";
}

/** A running period can only be shortened. */
function shorten(
  hub: JsonObject,
  requested: number | undefined,
  nowMs: number,
): "none" | "marked" | "pending" {
  const running = gracePeriodSecondsOf(hub);
  if (running === 0) return "none";
  if (requested === undefined || requested >= running) return "pending";
  const asked =
    Date.parse(metaString(hub, "deletionTimestamp")) - running * 1000 + requested * 1000;
  const metadata = metadataOf(hub);
  metadata.deletionTimestamp = formatSeconds(Math.max(asked, nowMs));
  metadata.deletionGracePeriodSeconds = asked < nowMs && requested !== 0 ? 1 : requested;
  return "marked";
}
