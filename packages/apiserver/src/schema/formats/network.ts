// IP addresses, networks and MAC addresses. `ipv4` and `cidr` tolerate leading zeros, `ipv6` does
// not.
// Upstream: k8s.io/kube-openapi/pkg/validation/strfmt/default.go,
// k8s.io/utils/internal/third_party/forked/golang/net, Go's net and net/netip packages.

/** Any address with a dot, `010.0.0.1` and `::1.2.3.4` included. */
export const isIpv4 = (text: string): boolean => text.includes(".") && isSloppyIp(text);

/** An IPv6 address without zone. */
export const isIpv6 = (text: string): boolean => text.includes(":") && readIpv6(text, "strict");

/** `10.0.0.0/8` or `fd00::/8`; host bits may be set. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const four = readIpv4(address, "sloppy");
  if (!four && !readIpv6(address, "sloppy")) return false;
  const bits = text.slice(slash + 1);
  return /^[0-9]+$/.test(bits) && Number(bits) <= (four ? 32 : 128);
}

/** An IPv4 or IPv6 address as net.ParseIP reads it. */
export const isStrictIp = (text: string): boolean =>
  text.includes(":") ? readIpv6(text, "strict") : readIpv4(text, "strict");

/** 6, 8 or 20 bytes, in pairs with `:` or `-`, in fours with `.`, or without separators. */
export function isMac(text: string): boolean {
  if (/^[0-9a-fA-F]+$/.test(text)) return hasMacSize(text.length / 2);
  if (
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+$/.test(text) ||
    /^[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2})+$/.test(text)
  )
    return hasMacSize((text.length + 1) / 3);
  return (
    /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/.test(text) && hasMacSize((2 * (text.length + 1)) / 5)
  );
}

const hasMacSize = (bytes: number): boolean => bytes === 6 || bytes === 8 || bytes === 20;

function isSloppyIp(text: string): boolean {
  const first = /[.:]/.exec(text)?.[0];
  return first === "." ? readIpv4(text, "sloppy") : first === ":" && readIpv6(text, "sloppy");
}

type Rigour = "strict" | "sloppy";

function readIpv4(text: string, rigour: Rigour): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 &&
    parts.every(
      (part) =>
        (rigour === "strict" ? /^(?:0|[1-9][0-9]{0,2})$/ : /^[0-9]+$/).test(part) &&
        Number(part) <= 255,
    )
  );
}

function readIpv6(text: string, rigour: Rigour): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const left = halves[0] === "" ? [] : halves[0]!.split(":");
  const right = halves.length < 2 || halves[1] === "" ? [] : halves[1]!.split(":");
  const groups = [...left, ...right];
  if (halves.length === 1 && groups.length === 0) return false;
  let size = groups.length;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i]!;
    // An IPv4 tail must be last, and must not precede the ellipsis.
    if (group.includes(".")) {
      const last = i === groups.length - 1 && (halves.length === 1 || right.length > 0);
      if (!last || !readIpv4(group, rigour)) return false;
      size++;
    } else if (!(rigour === "strict" ? /^[0-9a-fA-F]{1,4}$/ : /^0*[0-9a-fA-F]{1,4}$/).test(group))
      return false;
  }
  return halves.length === 2 ? size < 8 : size === 8;
}
