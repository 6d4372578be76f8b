// The manager name of a write.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go (managerOrUserAgent).
import { isPrintable } from "../../apimachinery/errors/is-printable.ts";

const maxBytes = 128;

/**
 * The `fieldManager` parameter, else the printable characters of the user agent before its first
 * slash, at most 128 bytes; may be empty.
 */
export function managerOrUserAgent(fieldManager: string, userAgent: string): string {
  if (fieldManager) return fieldManager;
  let name = "",
    bytes = 0;
  for (const c of userAgent.split("/")[0]!) {
    if (!isPrintable(c)) continue;
    bytes += Buffer.byteLength(c);
    if (bytes > maxBytes) break;
    name += c;
  }
  return name;
}
