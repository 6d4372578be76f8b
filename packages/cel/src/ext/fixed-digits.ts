// A double with a fixed number of places, ties to even on the exact value, as Go's `%.2f`; toFixed
// rounds ties up.
// Upstream: Go's strconv.FormatFloat with verb 'f'.

/** E.g. `fixedDigits(2.5, 0)` is `2`. */
export function fixedDigits(value: number, places: number): string {
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const magnitude = Math.abs(value);
  if (magnitude >= 1e21)
    return `${sign}${BigInt(magnitude)}${places > 0 ? `.${"0".repeat(places)}` : ""}`;
  if (places > 99) return `${sign}${magnitude.toFixed(100)}${"0".repeat(places - 100)}`;
  const exact = magnitude.toFixed(100);
  const point = exact.indexOf(".");
  const kept = exact.slice(0, point + 1 + places);
  const rest = exact.slice(point + 1 + places);
  const digits = BigInt(kept.replace(".", ""));
  const tie = /^50*$/.test(rest);
  const up = tie ? digits % 2n === 1n : rest >= "5";
  const rounded = (up ? digits + 1n : digits).toString().padStart(places + 1, "0");
  return sign + (places === 0 ? rounded : `${rounded.slice(0, -places)}.${rounded.slice(-places)}`);
}
