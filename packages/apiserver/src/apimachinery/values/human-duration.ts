// Durations as kubectl prints them.
// Upstream: k8s.io/apimachinery/pkg/util/duration (HumanDuration).

/** A duration as kubectl prints it: two units while the first is small. */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / 60_000);
  if (minutes < 10) return pair(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / 3_600_000);
  if (hours < 8) return pair(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 192) return pair(days, "d", hours % 24, "h");
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? pair(years, "y", days % 365, "d") : `${years}y`;
}

const pair = (a: number, unitA: string, b: number, unitB: string): string =>
  b ? `${a}${unitA}${b}${unitB}` : `${a}${unitA}`;
