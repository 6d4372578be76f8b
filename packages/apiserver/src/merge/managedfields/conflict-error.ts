// The 409 of an apply that conflicts with other managers.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go, pkg/api/errors
// (NewApplyConflict).
import { type ApiStatusError, compareBytewise } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { formatFieldPath } from "../fieldpath/field-path.ts";
import { parseManagerId } from "./managed-fields.ts";
import type { Conflict } from "./managers.ts";

/** One cause per field; the message lists them by manager. */
export function applyConflictError(conflicts: readonly Conflict[]): ApiStatusError {
  const sorted = [...conflicts].sort((a, b) => compareBytewise(a.manager, b.manager));
  const causes = sorted.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${formatManager(manager)}`,
    field: formatFieldPath(path),
  }));
  return failure(409, "Conflict", formatMessage(sorted), { causes });
}

function formatMessage(conflicts: readonly Conflict[]): string {
  const only = conflicts.length === 1 ? conflicts[0] : undefined;
  if (only)
    return `Apply failed with 1 conflict: conflict with ${formatManager(only.manager)}: ${formatFieldPath(only.path)}`;
  const blocks = [...Map.groupBy(conflicts, ({ manager }) => manager)].map(([manager, own]) =>
    [
      `conflicts with ${formatManager(manager)}:`,
      ...own.map(({ path }) => `- ${formatFieldPath(path)}`),
    ].join("\n"),
  );
  return `Apply failed with ${conflicts.length} conflicts: ${blocks.join("\n")}`;
}

/** `"kubectl"`, `"kubelet" with subresource "status" using v1`. */
function formatManager(id: string): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id);
  const name = subresource
    ? `${quoteGo(manager)} with subresource ${quoteGo(subresource)}`
    : quoteGo(manager);
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
