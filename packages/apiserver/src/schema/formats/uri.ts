// URIs as Go's url.ParseRequestURI accepts them: absolute URIs or absolute paths. Fragments are not
// parsed, queries not validated.
// Upstream: Go 1.26 net/url/url.go.
import { isStrictIp } from "./network.ts";

const hostChar =
  /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[^\u0000-\u007f]|%(?:25|[89a-fA-F][0-9a-fA-F]))*$/u;
const zoneChar = /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[^\u0000-\u007f]|%[0-9a-fA-F]{2})*$/u;
const userChar = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const badEscape = /%(?![0-9a-fA-F]{2})/;

/** `https://example.com/a?b`, `mailto:a@b`, `/path`. */
export function isRequestUri(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control bytes are what is looked for
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  const schemeMatch = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (!schemeMatch && text.startsWith(":")) return false;
  const scheme = schemeMatch?.[1]?.toLowerCase() ?? "";
  let rest = schemeMatch ? text.slice(schemeMatch[0].length) : text;
  const query = rest.indexOf("?");
  if (query >= 0) rest = rest.slice(0, query);
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? "" : rest.slice(slash);
    if (!isAuthority(scheme, authority)) return false;
  }
  return !badEscape.test(rest);
}

function isAuthority(scheme: string, authority: string): boolean {
  const at = authority.lastIndexOf("@");
  if (!isHost(scheme, authority.slice(at + 1))) return false;
  if (at < 0) return true;
  const user = authority.slice(0, at);
  return userChar.test(user) && !badEscape.test(user);
}

function isHost(scheme: string, host: string): boolean {
  const open = host.lastIndexOf("[");
  if (open > 0) return false;
  if (open === 0) return isIpLiteral(host);
  const first = host.indexOf(":");
  if (first >= 0) {
    const strict = scheme === "http" || scheme === "https";
    if (!isOptionalPort(host.slice(strict ? first : host.lastIndexOf(":")))) return false;
  }
  return hostChar.test(host);
}

function isIpLiteral(host: string): boolean {
  const close = host.lastIndexOf("]");
  if (close < 0 || !isOptionalPort(host.slice(close + 1))) return false;
  const name = host.slice(1, close);
  const zone = name.indexOf("%25");
  if (
    !hostChar.test(zone < 0 ? name : name.slice(0, zone)) ||
    (zone >= 0 && !zoneChar.test(name.slice(zone)))
  )
    return false;
  // A zone must not be empty.
  return (
    isStrictIp(zone < 0 ? name : name.slice(0, zone)) &&
    name.includes(":") &&
    (zone < 0 || name.length > zone + 3)
  );
}

const isOptionalPort = (port: string): boolean => /^(?::[0-9]*)?$/.test(port);
