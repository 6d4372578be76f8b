// The beginning of a body as error messages show it.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (summarizeData).
const shownBytes = 30;

/** Text when it looks like JSON, else hexadecimal; at most 30 bytes. */
export function summarizeBody(body: Uint8Array): string {
  if (!body.length) return "<empty>";
  const shown = Buffer.from(body.subarray(0, shownBytes)).toString(
    body[0] === 0x7b ? "utf8" : "hex",
  );
  return body.length > shownBytes ? `${shown} ...` : shown;
}
