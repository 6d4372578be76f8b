// Responses that are no API objects, as Go's http.Error writes them.
// Upstream: net/http (server.go, Error and NotFound).
import type { ApiResponse } from "./handler.ts";

/** A response of plain text. */
export const textResponse = (status: number, text: string): ApiResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: new TextEncoder().encode(text),
});

/** The 404 for a path without a handler. */
export const pageNotFound = (): ApiResponse => textResponse(404, "404 page not found\n");
