// The tag of a container image, which decides when the image is pulled.
// Upstream: k8s.io/kubernetes/pkg/util/parsers/parsers.go, github.com/distribution/reference
// (normalize.go, reference.go, regexp.go).

const component = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${component}(?:\\.${component})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const pathComponent = "[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*";
const name = `(?:${domain}/)?${pathComponent}(?:/${pathComponent})*`;
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}";
const reference = new RegExp(`^(${name})(?::([\\w][\\w.-]{0,127}))?(?:@(${digest}))?$`);
const knownDigest = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const identifier = /^[a-f0-9]{64}$/;
const maxNameBytes = 255;

/**
 * The tag, `latest` where neither tag nor digest is given, "" where there is a digest only or the
 * name cannot be read.
 */
export function imageTag(image: string): string {
  const full = normalized(image);
  const match = full === undefined ? undefined : reference.exec(full);
  if (!match) return "";
  const [, repository = "", tag = "", digestText = ""] = match;
  if (Buffer.byteLength(repository) > maxNameBytes || (digestText && !knownDigest.test(digestText)))
    return "";
  return tag || (digestText ? "" : "latest");
}

/** The name with its registry: a bare name belongs to `docker.io/library/`. */
function normalized(image: string): string | undefined {
  if (identifier.test(image)) return undefined;
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  const hasDomain =
    slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const rest = hasDomain ? image.slice(slash + 1) : image;
  const path = rest.split(":", 1)[0]!;
  if (path !== path.toLowerCase()) return undefined;
  if (hasDomain && first !== "index.docker.io" && first !== "docker.io") return `${first}/${rest}`;
  return `docker.io/${rest.includes("/") ? "" : "library/"}${rest}`;
}
