// The faults of a server over HTTP, as JSON, for programs in any language. It has its own port and
// token: a fault must not hold up the request that removes it.
import { timingSafeEqual } from "node:crypto";
import type { ApiRequest, ApiResponse, Handler } from "../apimachinery/handler.ts";
import type { Fault, FaultMatch, Faults } from "./fault.ts";

/** Serves `faults` to those who know `token`. */
export function serveFaults(faults: Faults, token: string): Handler {
  return async (request) => {
    if (!knows(request, token))
      return answer(401, { error: "expected the header Authorization: Bearer TOKEN" });
    const [path = ""] = request.path.split("?", 1);
    const route = routes[`${request.method} ${path.replace(/^\/faults\/[^/]+$/, "/faults/ID")}`];
    if (!route) return answer(404, { error: `expected one of ${Object.keys(routes).join(", ")}` });
    try {
      return route(faults, request);
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError)
        return answer(400, { error: error.message });
      throw error;
    }
  };
}

type Route = (faults: Faults, request: ApiRequest) => ApiResponse;

const routes: Readonly<Record<string, Route>> = {
  "GET /faults": (faults) => answer(200, { faults: faults.list() }),
  "POST /faults": (faults, request) => answer(201, faults.add(bodyOf(request) as Fault)),
  "DELETE /faults": (faults) => {
    faults.clear();
    return answer(200, { faults: [] });
  },
  "DELETE /faults/ID": (faults, { path }) => {
    const id = path.slice("/faults/".length);
    return faults.remove(id)
      ? answer(200, { removed: id })
      : answer(404, { error: `there is no fault ${JSON.stringify(id)}` });
  },
  "GET /clients": (faults) => answer(200, { clients: faults.clients() }),
  "POST /close-watches": (faults, request) =>
    answer(200, { closed: faults.closeWatches(bodyOf(request) as FaultMatch) }),
};

function bodyOf({ body }: ApiRequest): unknown {
  return body.length === 0 ? {} : JSON.parse(Buffer.from(body).toString("utf8"));
}

function knows({ headers }: ApiRequest, token: string): boolean {
  const given = Buffer.from(headers["authorization"] ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function answer(status: number, value: unknown): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    body: Buffer.from(`${JSON.stringify(value)}\n`),
  };
}
