// URLs as Go parses them, with Go's errors.
// Upstream: Go 1.26 net/url/url.go (Parse, ParseRequestURI, EscapedPath, Hostname, Port, Query).
import { quoteGoText } from "./quote.ts";

/** The parts of a URL. */
export interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The URL as one text, for comparison. */
  readonly text: string;
}

/** Go's error without its `parse "…": `. */
class UrlFault {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Parses as `url.ParseRequestURI` and then `url.Parse` do; returns Go's error. */
export function parseGoUrl(text: string): GoUrl | { readonly error: string } {
  try {
    parse(text, "request");
    const hash = text.indexOf("#");
    return { ...parse(hash < 0 ? text : text.slice(0, hash), "reference"), text };
  } catch (fault) {
    if (fault instanceof UrlFault) return { error: `parse ${quoteGoText(text)}: ${fault.message}` };
    throw fault;
  }
}

type Parts = Omit<GoUrl, "text">;

function parse(text: string, as: "request" | "reference"): Parts {
  // eslint-disable-next-line no-control-regex -- the pattern finds control bytes
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new UrlFault("net/url: invalid control character in URL");
  if (text === "" && as === "request") throw new UrlFault("empty url");
  const none: Parts = { scheme: "", host: "", path: "", rawPath: "", rawQuery: "" };
  if (text === "*") return { ...none, path: "*", rawPath: "*" };
  if (text.startsWith(":")) throw new UrlFault("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  let rest = scheme ? text.slice(scheme.length + 1) : text;
  const question = rest.indexOf("?");
  const rawQuery = question < 0 ? "" : rest.slice(question + 1);
  if (question >= 0) rest = rest.slice(0, question);
  const parts = { ...none, scheme: scheme.toLowerCase(), rawQuery };
  if (!rest.startsWith("/")) {
    if (scheme) return parts;
    if (as === "request") throw new UrlFault("invalid URI for request");
    if (rest.split("/")[0]!.includes(":"))
      throw new UrlFault("first path segment in URL cannot contain colon");
  }
  let host = "";
  if ((scheme || (as === "reference" && !rest.startsWith("///"))) && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    host = parseAuthority(slash < 0 ? rest.slice(2) : rest.slice(2, slash));
    rest = slash < 0 ? "" : rest.slice(slash);
  }
  return { ...parts, host, path: unescape(rest), rawPath: rest };
}

function parseAuthority(authority: string): string {
  const at = authority.lastIndexOf("@");
  const host = parseHost(authority.slice(at + 1));
  if (at >= 0) {
    const user = authority.slice(0, at);
    if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user))
      throw new UrlFault("net/url: invalid userinfo");
    unescape(user);
  }
  return host;
}

function parseHost(host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlFault("invalid IP-literal");
  const close = host.lastIndexOf("]");
  if (open === 0 && close < 0) throw new UrlFault("missing ']' in host");
  const port = open === 0 ? host.slice(close + 1) : (/:[^:]*$/.exec(host)?.[0] ?? "");
  if (port !== "" && !/^:\d*$/.test(port))
    throw new UrlFault(`invalid port ${quoteGoText(port)} after host`);
  const badEscape = /%(?:(?!25|[89a-fA-F][0-9a-fA-F]).{0,2}|.?$)/.exec(host);
  if (badEscape) throw new UrlFault(`invalid URL escape ${quoteGoText(badEscape[0])}`);
  // eslint-disable-next-line no-control-regex -- the pattern covers ASCII
  const bad = /[\u0000-\u007f]/g;
  for (const [c] of host.matchAll(bad))
    if (!/[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/.test(c))
      throw new UrlFault(`invalid character ${quoteGoText(c)} in host name`);
  return decode(host);
}

function unescape(text: string): string {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text);
  if (bad) throw new UrlFault(`invalid URL escape ${quoteGoText(bad[0])}`);
  return decode(text);
}

const decode = (text: string): string =>
  Buffer.from(
    text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
      Buffer.from(run.replaceAll("%", ""), "hex").toString(),
    ),
  ).toString();

/** The path as written where that is a valid encoding, else escaped anew. */
export function escapedPath({ path, rawPath }: GoUrl): string {
  if (/^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@[\]/]|%[0-9a-fA-F]{2})*$/.test(rawPath)) return rawPath;
  return path === "*"
    ? "*"
    : Array.from(Buffer.from(path), (byte) =>
        /[A-Za-z0-9\-._~$&+/:=@]/.test(String.fromCharCode(byte))
          ? String.fromCharCode(byte)
          : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`,
      ).join("");
}

/** The host without port and brackets. */
export function hostname({ host }: GoUrl): string {
  const bracket = host.indexOf("]");
  if (host.startsWith("[") && bracket > 0) return host.slice(1, bracket);
  const colon = host.indexOf(":");
  return colon < 0 ? host : host.slice(0, colon);
}

/** The port's digits; "" without a port. */
export const port = ({ host }: GoUrl): string => /(?:^[^[\]:]*|\]):(\d*)$/.exec(host)?.[1] ?? "";

/** The query's values by key; malformed pairs are skipped. */
export function queryValues({ rawQuery }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const piece of rawQuery.split("&")) {
    if (piece === "" || piece.includes(";")) continue;
    const equals = piece.indexOf("=");
    const [key, value] = [
      equals < 0 ? piece : piece.slice(0, equals),
      equals < 0 ? "" : piece.slice(equals + 1),
    ];
    if (/%(?![0-9a-fA-F]{2})/.test(piece)) continue;
    const name = decode(key.replaceAll("+", " "));
    values.set(name, [...(values.get(name) ?? []), decode(value.replaceAll("+", " "))]);
  }
  return values;
}
