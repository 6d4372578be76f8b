// Property names as CEL identifiers and back: `min-lanes` is written `min__dash__lanes`,
// `namespace` is `__namespace__`.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/escaping.go.
import { reservedNames } from "@homeostat/cel";

/** Reserved words of CEL, with the words that are tokens. */
export const reservedWords: ReadonlySet<string> = new Set([
  ...["true", "false", "null", "in"],
  ...reservedNames,
]);

const escapes: Readonly<Record<string, string>> = {
  __: "underscores",
  ".": "dot",
  "-": "dash",
  "/": "slash",
};
const unescapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(escapes).map(([text, word]) => [word, text]),
);

/** The identifier of a name; undefined when it has none (leading digit, other characters). */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return reservedWords.has(name)
    ? `__${name}__`
    : name.replace(/__|[-./]/g, (text) => `__${escapes[text]}__`);
}

/** The name of an identifier; undefined when it holds an unknown escape. */
export function unescapeName(identifier: string): string | undefined {
  let valid = true;
  const name = identifier.replace(/__([^_]+)__/g, (whole, word: string) => {
    const text = Object.hasOwn(unescapes, word) ? unescapes[word]! : undefined;
    if (text !== undefined) return text;
    if (!reservedWords.has(word) || whole.length !== identifier.length) valid = false;
    return word;
  });
  return valid ? name : undefined;
}
