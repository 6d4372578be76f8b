// The grammar of image references: a name, with an optional tag and digest.
// Upstream: github.com/distribution/reference, regexp.go and normalize.go.

const label = "(?:[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)";
const host = String.raw`(?:${label}(?:\.${label})*|\[[a-fA-F0-9:]+\])`;
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const name = String.raw`(?:${host}(?::[0-9]+)?/)?${component}(?:/${component})*`;
const tag = String.raw`\w[\w.-]{0,127}`;
const digest = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}`;
const reference = new RegExp(`^(?<name>${name})(?::${tag})?(?:@${digest})?$`);

const longestName = 255;

/** True for what a container runtime takes as an image. */
export function isImageReference(text: string): boolean {
  const found = reference.exec(text)?.groups?.["name"];
  // 64 hexadecimal digits are the identifier of an image, and no name.
  return found !== undefined && found.length <= longestName && !/^[0-9a-f]{64}$/.test(text);
}
