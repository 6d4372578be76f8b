// Reads the head of a plain request: a POST of HTTP/1.1 whose body has a length, as API servers
// send all of theirs. Whatever else a request may be, Node's own parser reads it. Pure.

/** The head of a plain request. */
export interface PlainHead {
  /** Without its query. */
  readonly path: string;
  readonly query: string | undefined;
  readonly contentType: string;
  /** Bytes of the head with its empty line. */
  readonly bodyStart: number;
  readonly bodyLength: number;
}

const startLine = /^POST (\/[!-~]*) HTTP\/1\.1$/;
const field = /^([-!#$%&'*+.^_`|~0-9A-Za-z]+):[ \t]*([\t -~]*?)[ \t]*$/;
/** Headers that change where a request ends, or what becomes of its connection. */
const unusual = new Set(["transfer-encoding", "expect", "upgrade", "trailer"]);

/** Undefined for a request that is not plain, and for one whose head is not complete. */
export function readHead(data: Buffer): PlainHead | undefined {
  const end = data.indexOf("\r\n\r\n");
  if (end < 0 || end > longestHead) return undefined;
  const [first = "", ...lines] = data.toString("latin1", 0, end).split("\r\n");
  const target = startLine.exec(first)?.[1];
  if (target === undefined) return undefined;
  const found = new Map<string, string>();
  for (const line of lines) {
    const [, name, value = ""] = field.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || found.has(key) || unusual.has(key)) return undefined;
    found.set(key, value);
  }
  if ((found.get("connection") ?? "keep-alive") !== "keep-alive") return undefined;
  const length = found.get("content-length");
  if (length === undefined || !/^\d{1,9}$/.test(length) || !found.has("host")) return undefined;
  const query = target.indexOf("?");
  return {
    path: query < 0 ? target : target.slice(0, query),
    query: query < 0 ? undefined : target.slice(query + 1),
    contentType: found.get("content-type") ?? "",
    bodyStart: end + 4,
    bodyLength: Number(length),
  };
}

const longestHead = 8192;
