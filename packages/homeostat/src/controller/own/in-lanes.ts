// Runs asynchronous work on items with bounded concurrency.

/** Runs `run` on every item, `lanes` at a time. Results are in the order of the items. */
export async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i]!);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return results;
}
