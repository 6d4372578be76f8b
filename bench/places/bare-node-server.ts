// Node's own limit: the same bytes over the same protocols, with nothing between the HTTP parser
// and a map. Bodies are answered as they came and written to open watches as they are. It checks
// nothing, knows no versions, and understands only what the rows send.
import { readFileSync } from "node:fs";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";

const [certFile, keyFile] = process.argv.slice(2);
const objects = new Map<string, Buffer>();
const watches = new Set<{ readonly path: string; readonly response: Http2ServerResponse }>();
const json = { "content-type": "application/json" };

const server = createSecureServer(
  { allowHTTP1: true, cert: readFileSync(certFile!), key: readFileSync(keyFile!) },
  (request, response) => {
    if (request.method === "GET") return answer(request, response);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => write(request, response, Buffer.concat(chunks)));
  },
);

function answer({ url }: Http2ServerRequest, response: Http2ServerResponse): void {
  const [path = "", query = ""] = url.split("?");
  if (!query.includes("watch=")) return send(response, 200, objects.get(path) ?? list(path));
  response.writeHead(200, json);
  response.write("");
  const watch = { path, response };
  watches.add(watch);
  response.once("close", () => watches.delete(watch));
}

function list(path: string): Buffer {
  const items = [...objects].filter(([at]) => at.startsWith(path)).map(([, object]) => object);
  return Buffer.from(`{"metadata":{"resourceVersion":"1"},"items":[${items.join(",")}]}`);
}

function write(
  { method, url }: Http2ServerRequest,
  response: Http2ServerResponse,
  body: Buffer,
): void {
  if (method === "DELETE") return send(response, 200, Buffer.from("{}"));
  const path = url.split("?")[0]!;
  const isDefinition = path.includes("/customresourcedefinitions/");
  const object = isDefinition ? established(body) : body;
  if (method === "POST")
    objects.set(`${path}/${/"name":"([^"]+)"/.exec(body.toString())?.[1]}`, body);
  else if (isDefinition) objects.set(path, object);
  send(response, method === "POST" ? 201 : 200, object);
  if (method === "POST") announce(path, body);
}

function established(body: Buffer): Buffer {
  const conditions = [{ type: "Established", status: "True" }];
  return Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), status: { conditions } }));
}

function announce(path: string, body: Buffer): void {
  const frame = Buffer.concat([Buffer.from('{"type":"ADDED","object":'), body, Buffer.from("}\n")]);
  for (const watch of watches) if (watch.path === path) watch.response.write(frame);
}

function send(response: Http2ServerResponse, status: number, body: Buffer): void {
  response.writeHead(status, { ...json, "content-length": body.length }).end(body);
}

server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`),
);
