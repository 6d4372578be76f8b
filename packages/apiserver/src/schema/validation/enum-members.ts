// Enum membership by Go's reflection: the value converts to the member's type before it is
// compared, so that 1.5 is a member of [1] and 65 of ["A"]. Null is never a member.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/validator.go (basicCommonValidator).
import { equalJson, type Json } from "homeostat/api";

/** Whether one of the members equals the value after conversion to the member's type. */
export function isEnumMember(value: Json, members: readonly Json[]): boolean {
  for (let i = 0; i < members.length; i++) if (matches(value, members[i]!)) return true;
  return false;
}

function matches(value: Json, member: Json): boolean {
  if (value === null || member === null) return false;
  if (value === member) return true;
  if (typeof value === "number" || typeof value === "bigint") return matchesNumber(value, member);
  return typeof value === "object" && equalJson(value, member);
}

function matchesNumber(value: number | bigint, member: Json): boolean {
  if (typeof member === "bigint")
    return typeof value === "bigint" ? value === member : BigInt(Math.trunc(value)) === member;
  if (typeof member === "number")
    return (
      Number(value) === member ||
      (Number.isSafeInteger(member) && Math.trunc(Number(value)) === member)
    );
  const whole = typeof value === "bigint" || Number.isSafeInteger(value);
  return (
    typeof member === "string" &&
    whole &&
    value >= 0 &&
    value <= 0x10ffff &&
    String.fromCodePoint(Number(value)) === member
  );
}
