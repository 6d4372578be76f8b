// The fields of metadata that only the server sets: wiped from requests, filled in for new objects.
// Upstream: k8s.io/apiserver/pkg/registry/rest/meta.go.
import type { JsonObject } from "homeostat/api";
import { type Entropy, uuid } from "homeostat/runtime";
import { metadataOf } from "./read-meta.ts";

/** Removes the fields that a client may not set on a new object. */
export function wipeSystemFields(object: JsonObject): void {
  const metadata = metadataOf(object);
  for (const field of [
    "creationTimestamp",
    "uid",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
  ] as const)
    delete metadata[field];
}

/** Gives a new object its uid and creation time. */
export function fillSystemFields(object: JsonObject, now: string, entropy: Entropy): void {
  const metadata = metadataOf(object);
  metadata.creationTimestamp = now;
  metadata.uid = uuid(entropy);
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedLength = 63;

/**
 * `base` cut to 58 characters, plus five random ones. Upstream:
 * k8s.io/apiserver/pkg/storage/names/generate.go.
 */
export function generateName(base: string, entropy: Entropy): string {
  let suffix = "";
  while (suffix.length < suffixLength) {
    for (const byte of entropy.bytes(8)) {
      // 243 is the largest multiple of 27 below 256: beyond it letters would not be equally likely.
      if (byte < 243 && suffix.length < suffixLength)
        suffix += suffixLetters[byte % suffixLetters.length];
    }
  }
  return base.slice(0, maxGeneratedLength - suffixLength) + suffix;
}
