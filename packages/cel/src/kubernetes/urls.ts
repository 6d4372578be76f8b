// url, isURL and the parts of URLs.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/urls.go, pkg/cel/url.go.
import { convertedArgument, passEstimate } from "../cost/prices.ts";
import { overload, pricedFunction } from "../functions/declarations.ts";
import { isParsed, LibraryType, type Parsed } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, listType, mapType, stringType, structType } from "../types/type.ts";
import { ValueList } from "../values/list.ts";
import { ValueMap } from "../values/map.ts";
import type { CelValue } from "../values/value.ts";
import { escapedPath, type GoUrl, hostname, parseGoUrl, port, queryValues } from "../go/url.ts";

const urls = new LibraryType<GoUrl>({
  type: structType("kubernetes.URL"),
  equal: (a, b) => a.text === b.text,
  print: (url) => url.text,
});

function parseUrl(text: CelValue | undefined): Parsed<GoUrl> {
  const url = parseGoUrl(text as string);
  return "error" in url
    ? { error: `URL parse error during conversion from string: ${url.error}` }
    : url;
}

const query = (url: GoUrl): CelValue =>
  new ValueMap(
    Array.from(queryValues(url), ([key, values]) => [key, new ValueList([...values])] as const),
  );

/** URLs. */
export const urlLibrary: Library = {
  name: "kubernetes urls",
  functions: [
    pricedFunction(convertedArgument, {
      name: "url",
      overloads: [
        overload("string_to_url", [stringType], urls.type, (text) =>
          urls.wrapParsed(parseUrl(text)),
        ),
      ],
    }),
    {
      name: "isURL",
      overloads: [
        overload("is_url_string", [stringType], boolType, (text) => isParsed(parseUrl(text))),
      ],
    },
    urls.reader("getScheme", "url_get_scheme", stringType, (url) => url.scheme),
    urls.reader("getHost", "url_get_host", stringType, (url) => url.host),
    urls.reader("getHostname", "url_get_hostname", stringType, hostname),
    urls.reader("getPort", "url_get_port", stringType, port),
    urls.reader("getEscapedPath", "url_get_escaped_path", stringType, escapedPath),
    urls.reader("getQuery", "url_get_query", mapType(stringType, listType(stringType)), query),
  ],
  equality: [
    { type: urls.type, estimate: (size) => passEstimate({ min: 1, max: size?.max ?? 1 }) },
  ],
};
