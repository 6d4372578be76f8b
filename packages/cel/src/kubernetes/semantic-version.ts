// Semantic versions as blang/semver reads them, with its errors.
// Upstream: github.com/blang/semver/v4 semver.go; k8s.io/apiserver v0.36
// pkg/cel/library/semverlib.go (normalizeAndParse).
import { quoteGoText } from "../go/quote.ts";

/** A version. Build metadata does not affect its order. */
export interface SemanticVersion {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly string[];
  readonly text: string;
}

class VersionFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

const isNumeric = (text: string): boolean => /^\d+$/.test(text);
const isAlphanumeric = (text: string): boolean => /^[0-9A-Za-z-]+$/.test(text);
const hasLeadingZero = (text: string): boolean => text.length > 1 && text.startsWith("0");

/** A version, or the library's error. */
export function parseVersion(text: string): SemanticVersion | { readonly error: string } {
  try {
    return parse(text);
  } catch (fault) {
    if (fault instanceof VersionFault) return { error: fault.message };
    throw fault;
  }
}

function parse(text: string): SemanticVersion {
  if (text === "") throw new VersionFault("Version string empty");
  const dots = text.split(".");
  if (dots.length < 3) throw new VersionFault("No Major.Minor.Patch elements found");
  const [major = "", minor = ""] = dots;
  const rest = dots.slice(2).join(".");
  const plus = rest.indexOf("+");
  const build = plus < 0 ? undefined : rest.slice(plus + 1);
  const core = plus < 0 ? rest : rest.slice(0, plus);
  const dash = core.indexOf("-");
  const prerelease = dash < 0 ? undefined : core.slice(dash + 1);
  const numbers = {
    major: number(major, "Major"),
    minor: number(minor, "Minor"),
    patch: number(dash < 0 ? core : core.slice(0, dash), "Patch"),
  };
  const identifiers = prerelease === undefined ? [] : prerelease.split(".");
  identifiers.forEach(checkPrerelease);
  build?.split(".").forEach(checkBuild);
  return { ...numbers, prerelease: identifiers, text };
}

function number(text: string, name: string): bigint {
  if (!isNumeric(text))
    throw new VersionFault(
      text === ""
        ? `strconv.ParseUint: parsing "": invalid syntax`
        : `Invalid character(s) found in ${name.toLowerCase()} number ${quoteGoText(text)}`,
    );
  if (hasLeadingZero(text))
    throw new VersionFault(`${name} number must not contain leading zeroes ${quoteGoText(text)}`);
  const value = BigInt(text);
  if (value >= 2n ** 64n)
    throw new VersionFault(`strconv.ParseUint: parsing ${quoteGoText(text)}: value out of range`);
  return value;
}

function checkPrerelease(text: string): void {
  if (text === "") throw new VersionFault("Prerelease is empty");
  if (isNumeric(text) && hasLeadingZero(text))
    throw new VersionFault(
      `Numeric PreRelease version must not contain leading zeroes ${quoteGoText(text)}`,
    );
  if (!isAlphanumeric(text))
    throw new VersionFault(`Invalid character(s) found in prerelease ${quoteGoText(text)}`);
}

function checkBuild(text: string): void {
  if (text === "") throw new VersionFault("Build meta data is empty");
  if (!isAlphanumeric(text))
    throw new VersionFault(`Invalid character(s) found in build meta data ${quoteGoText(text)}`);
}

/** Also takes `v1.2` and `01.02.3`. */
export function normalizeVersion(text: string): SemanticVersion | { readonly error: string } {
  const trimmed = text.startsWith("v") ? text.slice(1) : text;
  const dots = trimmed.split(".");
  const parts = dots.length > 3 ? [dots[0]!, dots[1]!, dots.slice(2).join(".")] : dots;
  const cleaned = parts.map((part) => {
    if (part.length < 2) return part;
    const stripped = part.replace(/^0+/, "");
    return /^\d/.test(stripped) ? stripped : `0${stripped}`;
  });
  if (cleaned.length < 3 && /[+-]/.test(cleaned.at(-1)!))
    return { error: "short version cannot contain PreRelease/Build meta data" };
  while (cleaned.length < 3) cleaned.push("0");
  return parseVersion(cleaned.join("."));
}

/** -1, 0 or 1. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const part of ["major", "minor", "patch"] as const)
    if (a[part] !== b[part]) return a[part] < b[part] ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Math.sign(b.prerelease.length - a.prerelease.length);
  for (let i = 0; i < Math.min(a.prerelease.length, b.prerelease.length); i++) {
    const order = compareIdentifiers(a.prerelease[i]!, b.prerelease[i]!);
    if (order !== 0) return order;
  }
  return Math.sign(a.prerelease.length - b.prerelease.length);
}

/** Numbers come before other identifiers. */
function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  if (isNumeric(a) && isNumeric(b)) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (isNumeric(a) !== isNumeric(b)) return isNumeric(a) ? -1 : 1;
  return a < b ? -1 : 1;
}
