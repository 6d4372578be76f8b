// The `timeout` parameter of requests that are over soon. Answers here are far quicker than any timeout that makes sense, so it is
// only checked, not kept.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go, time (ParseDuration).
import { badRequestError } from "../registry/api-errors.ts";
import { quoteGo } from "../registry/field-error.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** Throws 400 for a timeout that is no duration. Watches have no use for it. */
export async function checkTimeout({ query, info }: ServerRequest): Promise<void> {
  const text = query.text("timeout");
  if (text === "" || info.verb === "watch" || info.verb === "proxy") return;
  const fault = durationFault(text);
  if (fault) throw badRequestError(`invalid timeout specified in the request URL - ${fault}`);
}

const part = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

/** What Go says of a text that is no duration, e.g. `time: missing unit in duration "5"`. */
function durationFault(text: string): string | undefined {
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return undefined;
  if (rest === "") return `time: invalid duration ${quoteGo(text)}`;
  while (rest) {
    const [all, whole = "", fraction = "", unit = ""] = part.exec(rest)!;
    if (!whole && !fraction) return `time: invalid duration ${quoteGo(text)}`;
    if (!unit) return `time: missing unit in duration ${quoteGo(text)}`;
    if (!["ns", "us", "µs", "μs", "ms", "s", "m", "h"].includes(unit)) return `time: unknown unit ${quoteGo(unit)} in duration ${quoteGo(text)}`;
    rest = rest.slice(all.length);
  }
  return undefined;
}
