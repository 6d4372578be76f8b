// Decides when certificates of webhooks are replaced. An authority is published in every caBundle
// before it signs anything, and stays there while certificates that it signed are in use, so that
// the API server trusts what it meets at any time. Pure.

import type { Validity } from "./certificate-facts.ts";

/** What is known of the certificates in the Secret. */
export interface PkiFacts {
  /** The authority that signs. */
  readonly authority: Validity;
  /** The authority that signs next, and since when it is in the Secret. */
  readonly next?: Validity & { readonly since: number };
  /** Until when authorities that sign no more are trusted. */
  readonly previousUntil?: number;
  /** `isFit`: signed by the authority, for all names. */
  readonly leaf: Validity & { readonly isFit: boolean };
}

/** Times, in milliseconds. */
export interface PkiLimits {
  /** How long an authority is valid. */
  readonly authorityMs: number;
  /** How long a serving certificate is valid. */
  readonly leafMs: number;
  /** How long an authority is published before it signs, and after it has been replaced. */
  readonly overlapMs: number;
  /** As `overlapMs`, when waiting helps nobody: what is in use has expired. */
  readonly settleMs: number;
}

/** One change of the Secret. */
export type PkiStep = "introduceNext" | "promoteNext" | "issueLeaf" | "dropPrevious";

/** What to change now, or when to look again. */
export type PkiDecision =
  | { readonly step: PkiStep }
  | { readonly step: undefined; readonly dueInMs: number };

interface PkiSituation {
  readonly facts: PkiFacts;
  readonly now: number;
  readonly limits: PkiLimits;
  /** True when every caBundle holds all authorities of the Secret. */
  readonly isPublished: boolean;
  /** True when a person asks for a new authority now. */
  readonly isAsked?: boolean;
}

type Clocked = Pick<PkiSituation, "facts" | "now" | "limits">;

/**
 * Replaced when a third of its life is left, as cert-manager does. Certificates are dated back by
 * an hour, for clocks that differ: that hour is no life.
 */
const renewAt = ({ notBefore, notAfter }: Validity, lifeMs: number): number =>
  notAfter - Math.min(lifeMs, notAfter - notBefore) / 3;

/** Also a certificate of the future is of no use: the clock was set back. */
const isValid = ({ notBefore, notAfter }: Validity, now: number): boolean =>
  notBefore <= now && now < notAfter;

const isDue = (one: Validity, lifeMs: number, now: number): boolean =>
  !isValid(one, now) || now >= renewAt(one, lifeMs);

/** The next change. Taken one by one, each stored before the next is decided. */
export function decidePki({ facts, now, limits, isPublished, isAsked }: PkiSituation): PkiDecision {
  // Also in place of a next authority: its key was in the Secret as well.
  if (isAsked) return { step: "introduceNext" };
  const { authority, next, previousUntil, leaf } = facts;
  const { authorityMs, leafMs } = limits;
  const canSign = isValid(authority, now);
  if (!next && isDue(authority, authorityMs, now)) return { step: "introduceNext" };
  if (next && !isValid(next, now)) return { step: "introduceNext" };
  const promotion = next ? promotionAt(next.since, { facts, now, limits }) : undefined;
  if (promotion !== undefined && isPublished && now >= promotion) return { step: "promoteNext" };
  if (canSign && needsLeaf({ facts, now, limits })) return { step: "issueLeaf" };
  if (previousUntil !== undefined && now >= previousUntil) return { step: "dropPrevious" };
  const signing = next ? promotion : renewAt(authority, authorityMs);
  const times = [renewAt(leaf, leafMs), leaf.notAfter, signing, previousUntil];
  const future = times.filter((at) => at !== undefined && at > now) as number[];
  return { step: undefined, dueInMs: Math.min(...future, now + longestWaitMs) - now };
}

/** A certificate that ends with its authority is not replaced by another that does. */
function needsLeaf({ facts: { authority, leaf }, now, limits }: Clocked): boolean {
  if (!leaf.isFit || !isValid(leaf, now)) return true;
  return leaf.notAfter < authority.notAfter && now >= renewAt(leaf, limits.leafMs);
}

/** Clocks jump; certificates are looked at again at least this often. */
const longestWaitMs = 600_000;

/** When the next authority may sign. A clock that was set back does not hold it for long. */
function promotionAt(since: number, { facts, now, limits }: Clocked): number {
  const isUseless = !isValid(facts.authority, now) || !isValid(facts.leaf, now);
  const waitMs = isUseless ? limits.settleMs : limits.overlapMs;
  return Math.min(since, now) + waitMs;
}
