// url, isURL and the parts of URLs.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/urls.go, pkg/cel/url.go.
import { convertedArgument, passEstimate } from "../cost/prices.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, listType, mapType, stringType, structType } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { ValueList } from "../values/list.ts";
import { ValueMap } from "../values/map.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { escapedPath, type GoUrl, hostname, parseGoUrl, port, queryValues } from "../go/url.ts";

const urlType = structType("kubernetes.URL");

class UrlValue extends CelObject {
  readonly type = urlType;
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof UrlValue)) throw noSuchOverload();
    return other.url.text === this.url.text;
  }

  toString(): string {
    return this.url.text;
  }
}

const toUrl: Implementation = (text) => {
  const url = parseGoUrl(text as string);
  if ("error" in url)
    throw new CelError(`URL parse error during conversion from string: ${url.error}`);
  return new UrlValue(url);
};

const part = (name: string, id: string, read: (url: GoUrl) => string): FunctionDeclaration => ({
  name,
  overloads: [member(id, [urlType], stringType, (value) => read((value as UrlValue).url))],
});

const query: Implementation = (value) =>
  new ValueMap(
    Array.from(
      queryValues((value as UrlValue).url),
      ([key, values]) => [key, new ValueList([...values])] as const,
    ),
  );

/** URLs. */
export const urlLibrary: Library = {
  name: "kubernetes urls",
  functions: [
    pricedFunction(convertedArgument, {
      name: "url",
      overloads: [overload("string_to_url", [stringType], urlType, toUrl)],
    }),
    {
      name: "isURL",
      overloads: [
        overload(
          "is_url_string",
          [stringType],
          boolType,
          (text) => !("error" in parseGoUrl(text as string)),
        ),
      ],
    },
    part("getScheme", "url_get_scheme", (url) => url.scheme),
    part("getHost", "url_get_host", (url) => url.host),
    part("getHostname", "url_get_hostname", hostname),
    part("getPort", "url_get_port", port),
    part("getEscapedPath", "url_get_escaped_path", escapedPath),
    {
      name: "getQuery",
      overloads: [
        member("url_get_query", [urlType], mapType(stringType, listType(stringType)), query),
      ],
    },
  ],
  equality: [{ type: urlType, estimate: (size) => passEstimate({ min: 1, max: size?.max ?? 1 }) }],
};
