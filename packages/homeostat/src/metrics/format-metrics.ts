// Metrics as Prometheus' text format, version 0.0.4: families by name, labels by name, numbers as
// Go prints them, because the label `le` of a bucket is such a text.
// Upstream: github.com/prometheus/common/expfmt/text_create.go.
import type { Labels, MetricFamily, Sample } from "./metric-family.ts";

/** The media type of the text, as promhttp sends it. */
export const metricsMediaType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** Families with samples as text, by name. */
export function formatMetrics(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(formatFamily)
    .join("");
}

/** e.g. `# HELP up Is it up?\n# TYPE up gauge\nup 1\n` */
function formatFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map((sample) => formatSample(name, sample));
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function formatSample(name: string, { suffix, labels, value }: Sample): string {
  return `${name}${suffix ?? ""}${formatLabels(labels)} ${formatFloat(value)}\n`;
}

/** e.g. `{code="200",method="GET"}`; "" without labels. The label `le` is the last, as upstream. */
export function formatLabels(labels: Labels): string {
  const names = Object.keys(labels);
  if (names.length === 0) return "";
  const rank = (name: string): string => (name === "le" ? "~" : name);
  const sorted = names.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return `{${sorted.map((name) => `${name}="${escapeLabel(labels[name]!)}"`).join(",")}}`;
}

/** A number as Go's `strconv.FormatFloat(value, 'g', -1, 64)`: `1e-08`, `1e+06`, `+Inf`. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

const escapeHelp = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", String.raw`\n`);

const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', String.raw`\"`);
