// Responses of plain text, which are no API objects.
// Upstream: net/http (server.go, Error and NotFound).
import type { ApiResponse } from "./handler.ts";

const plain = "text/plain; charset=utf-8";

/** Text that a handler writes itself. */
export const plainText = (status: number, text: string, mediaType = plain): ApiResponse => ({
  status,
  headers: { "content-type": mediaType },
  body: new TextEncoder().encode(text),
});

/** Text as Go's http.Error writes it. */
export const textResponse = (status: number, text: string): ApiResponse => {
  const response = plainText(status, text);
  return { ...response, headers: { ...response.headers, "x-content-type-options": "nosniff" } };
};

/** The 404 for a path without a handler. */
export const pageNotFound = (): ApiResponse => textResponse(404, "404 page not found\n");
