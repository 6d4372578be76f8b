// Fetches a whole list in pages. If the continue token expires, it starts over in one request.
// Upstream: k8s.io/client-go/tools/pager/pager.go (FullListIfExpired).
import { isExpired } from "../api/status.ts";
import type { ListOptions, ListPageOptions, ObjectList } from "./client.ts";

/** Objects per request. */
export const defaultPageSize = 500;

/** Fetches all pages through `page`. Throws `onEndless()` when a continue token comes again. */
export async function listPages<O>(
  page: (options: ListPageOptions) => Promise<ObjectList<O>>,
  { pageSize = defaultPageSize, ...options }: ListOptions,
  onEndless: () => Error,
): Promise<ObjectList<O>> {
  const { resourceVersion: _, resourceVersionMatch: __, ...later } = options;
  const first = await page({ ...options, limit: pageSize });
  const items = [...first.items];
  const tokens = new Set<string>();
  for (let token = first.continue; token;) {
    if (tokens.has(token)) throw onEndless();
    tokens.add(token);
    try {
      const next = await page({ ...later, limit: pageSize, continue: token });
      items.push(...next.items);
      token = next.continue;
    } catch (error) {
      if (!isExpired(error)) throw error;
      return page({ ...options, limit: 0 });
    }
  }
  return { items, resourceVersion: first.resourceVersion };
}
