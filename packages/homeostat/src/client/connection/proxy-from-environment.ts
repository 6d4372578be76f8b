// Which proxy HTTPS_PROXY, HTTP_PROXY and NO_PROXY name for a server, by Go's rules: kubectl and
// this client go the same way. Pure.
// Upstream: golang.org/x/net/http/httpproxy/proxy.go, as net/http has it.
import { BlockList, isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy's address, e.g. `http://proxy.example.com:3128`; undefined for none. */
export function proxyFromEnvironment(server: string, env: Environment): string | undefined {
  const url = URL.parse(server);
  if (!url) return undefined;
  const isSecure = url.protocol === "https:";
  const proxy = isSecure
    ? env["HTTPS_PROXY"] || env["https_proxy"]
    : env["HTTP_PROXY"] || env["http_proxy"];
  // A CGI program's HTTP_PROXY may be a header of its request.
  if (!proxy || (!isSecure && env["REQUEST_METHOD"])) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const port = url.port || (isSecure ? "443" : "80");
  return usesProxy(host, port, env["NO_PROXY"] || env["no_proxy"] || "")
    ? formatProxy(proxy)
    : undefined;
}

/** An address without a scheme is an HTTP proxy. */
const formatProxy = (proxy: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;

function usesProxy(host: string, port: string, exceptions: string): boolean {
  if (host === "localhost") return false;
  const isAddress = isIP(host) !== 0;
  if (isAddress && loopback().check(host, family(host))) return false;
  return !exceptions
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter(Boolean)
    .some((each) => matches(each, { host, port, isAddress }));
}

interface Target {
  readonly host: string;
  readonly port: string;
  readonly isAddress: boolean;
}

/** One entry: `*`, a network, an address or a domain; the last two may have a port. */
function matches(entry: string, target: Target): boolean {
  if (entry === "*") return true;
  const [, network = "", bits] = /^([^/]*)\/(\d+)$/.exec(entry) ?? [];
  if (bits !== undefined && isIP(network)) return isInNetwork(target, network, Number(bits));
  const [, name = entry, port] = /^(\[[^\]]*\]|[^:]*):(\d*)$/.exec(entry) ?? [];
  if (port && port !== target.port) return false;
  const bare = name.replace(/^\[|\]$/g, "");
  if (isIP(bare)) return isInNetwork(target, bare, isIP(bare) === 4 ? 32 : 128);
  return !target.isAddress && isInDomain(target.host, bare);
}

/** `example.com` includes its subdomains; `.example.com` and `*.example.com` are only these. */
function isInDomain(host: string, domain: string): boolean {
  const suffix = domain.replace(/^\*\./, ".");
  if (suffix === "") return false;
  return suffix.startsWith(".")
    ? host.endsWith(suffix)
    : host === suffix || host.endsWith(`.${suffix}`);
}

function isInNetwork({ host, isAddress }: Target, network: string, bits: number): boolean {
  if (!isAddress || bits > (isIP(network) === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family(network));
  return list.check(host, family(host));
}

function loopback(): BlockList {
  const list = new BlockList();
  list.addSubnet("127.0.0.0", 8, "ipv4");
  list.addAddress("::1", "ipv6");
  return list;
}

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");
