// Starts the manager of a test cluster. A kind that nobody has installed is found at once: nothing
// else could install it before the test begins.
import { HomeostatError, type Manager } from "homeostat";

/** @throws ERR_TEST_OPTION naming the kinds that the server does not serve */
export async function startManager(manager: Manager, pause: () => Promise<unknown>): Promise<void> {
  const starting = manager.start();
  let isStarting = true;
  const ended = starting.then(
    () => (isStarting = false),
    () => (isStarting = false),
  );
  while (isStarting) {
    const kinds = manager
      .freshness()
      .filter(({ freshness }) => !freshness.isServed)
      .map(({ kind }) => `${kind.kind} (${kind.apiVersion})`);
    if (kinds.length > 0) throw missingKinds([...new Set(kinds)]);
    await Promise.race([ended, pause()]);
  }
  await starting;
}

const missingKinds = (kinds: readonly string[]): HomeostatError =>
  new HomeostatError(
    "ERR_TEST_OPTION",
    `start a test cluster: its controllers use ${kinds.join(", ")}, which is neither built in nor in \`resources\``,
    { hint: "add it to `resources`" },
  );
