// The auth-provider of a user in a kubeconfig file: read again, and written back. Other programs
// write the same file, under a lock file beside it.
// Upstream: k8s.io/client-go/tools/clientcmd/config.go (ModifyConfig, PersisterForUser), loader.go
// (lockFile). Unlike there, the file keeps its comments and its order.
import { open, readFile, rm, writeFile } from "node:fs/promises";
import type { Clock } from "../../runtime/clock.ts";
import { sleep } from "../../runtime/sleep.ts";
import type { OidcProvider } from "./cluster-access.ts";
import { isRecord } from "./parse-kubeconfig.ts";

type SavedIn = OidcProvider["savedIn"];
type Texts = Readonly<Record<string, string>>;

const lockTries = 20;
const lockPauseMs = 100;

/** What the file has now; nothing if it cannot be read. */
export async function readAuthProvider(savedIn: SavedIn): Promise<Texts> {
  if (!savedIn) return {};
  try {
    const found = await findConfig(savedIn);
    const config: unknown = found?.document.getIn(found.path);
    const texts = (config as { toJSON?: () => unknown } | undefined)?.toJSON?.();
    return isRecord(texts) ? (texts as Texts) : {};
  } catch {
    return {};
  }
}

/** Writes the changes into the file, if the user still has an auth-provider there. */
export async function saveAuthProvider(savedIn: SavedIn, changes: Texts, clock: Clock) {
  if (!savedIn) return;
  const release = await lock(savedIn.file, clock);
  try {
    const found = await findConfig(savedIn);
    if (!found) return;
    const { document, path } = found;
    for (const [name, value] of Object.entries(changes)) document.setIn([...path, name], value);
    await writeFile(savedIn.file, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  } catch (cause) {
    throw new Error(`the new tokens cannot be written back: ${(cause as Error).message}`, {
      cause,
    });
  } finally {
    await release();
  }
}

async function findConfig({ file, user }: NonNullable<SavedIn>) {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(await readFile(file, "utf8"));
  if (document.errors.length > 0) throw document.errors[0];
  const users: unknown = document.toJS()?.users;
  if (!Array.isArray(users)) return undefined;
  const at = users.findIndex((each) => isRecord(each) && each["name"] === user);
  const path = ["users", at, "user", "auth-provider"];
  return at >= 0 && document.hasIn(path) ? { document, path: [...path, "config"] } : undefined;
}

/** Resolves to what removes the lock. */
async function lock(file: string, clock: Clock): Promise<() => Promise<void>> {
  const path = `${file}.lock`;
  for (let tries = 1; ; tries++) {
    try {
      await (await open(path, "wx", 0o600)).close();
      return () => rm(path, { force: true });
    } catch (cause) {
      const isHeld = (cause as { code?: unknown }).code === "EEXIST";
      if (isHeld && tries < lockTries) {
        await sleep(clock, lockPauseMs, undefined);
        continue;
      }
      const why = isHeld
        ? `${path} exists: remove it if no program is writing`
        : (cause as Error).message;
      throw new Error(`the new tokens cannot be written back: ${why}`, { cause });
    }
  }
}
