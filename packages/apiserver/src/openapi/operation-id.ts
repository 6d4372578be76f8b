// Names and tags of operations: `listCoreV1NamespacedPod`, `core_v1`.
// Upstream: k8s.io/apiserver/pkg/endpoints/openapi/openapi.go (GetOperationIDAndTags,
// ToValidOperationID).

/** The names of a path's operations. */
export interface OperationNames {
  readonly tag: string;
  /** Puts the group and version between a verb and the rest. */
  id(verb: string, rest: string): string;
}

/** Names for a path such as `/apis/apps/v1/deployments` or `/version/`. */
export function operationNames(path: string): OperationNames {
  const parts = path.split("/").filter(Boolean);
  if (parts[0] === "api") parts.splice(0, 1, "apis", "core");
  if (parts.length < 2 || parts[0] !== "apis")
    return { tag: camel(parts[0] ?? "", "lower"), id: (verb, rest) => verb + camel(rest, "upper") };
  const group = parts[1]!.replace(/\.k8s\.io$/, "");
  const version = parts[2] ?? "";
  return {
    tag: camel(group, "lower") + (version ? `_${camel(version, "lower")}` : ""),
    id: (verb, rest) =>
      verb + camel(group, "upper") + camel(version, "upper") + camel(rest, "upper"),
  };
}

function camel(text: string, first: "lower" | "upper"): string {
  let out = "";
  let raise = first === "upper";
  for (const [i, c] of [...text].entries()) {
    if (/[\p{L}_]/u.test(c) || (i > 0 && /\p{Nd}/u.test(c))) {
      out += raise ? c.toUpperCase() : c;
      raise = false;
    } else raise = true;
  }
  return out;
}
