// Opens the data directory: the server's identity and the journal of its objects. Without a data
// directory both are in memory. Imports SQLite only when a directory is given.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Runtime } from "homeostat/runtime";
import { type ApiServerOptions, warnOf } from "./api-server-options.ts";
import { reasonOf, ServerError } from "./apimachinery/errors/server-error.ts";
import type { Identity } from "./certificates/identity.ts";
import { makeFolders } from "./http/make-folders.ts";
import type { Journal } from "./storage/store.ts";

const identityFile = "identity.json";
const journalFile = "journal.db";

/** Loads the certificate authority and the token from the data directory, or creates new ones. */
export async function openIdentity(options: ApiServerOptions, runtime: Runtime): Promise<Identity> {
  const { createIdentity, loadIdentity } = await import("./certificates/identity.ts");
  if (options.dataDir === undefined) return createIdentity(runtime);
  return inDataDir(options.dataDir, (dir) => {
    const file = join(dir, identityFile);
    if (!existsSync(file) && existsSync(join(dir, journalFile)))
      warnOf(options)(
        `${file} is missing and is created again; existing objects are kept, but earlier kubeconfigs and tokens are no longer valid; use the new kubeconfig`,
        undefined,
      );
    return loadIdentity(file, runtime);
  });
}

/** Opens the journal in the data directory; empty when the store is in memory only. */
export async function openJournal(
  options: ApiServerOptions,
): Promise<{ readonly journal?: Journal }> {
  if (options.dataDir === undefined) return {};
  const { openSqliteJournal } = await import("./storage/sqlite-journal.ts");
  const file = inDataDir(options.dataDir, (dir) => join(dir, journalFile));
  return { journal: await openSqliteJournal({ file, fsync: options.fsync ?? false }) };
}

function inDataDir<T>(dataDir: string, use: (dir: string) => T): T {
  try {
    makeFolders(dataDir, 0o700);
    return use(dataDir);
  } catch (error) {
    if (error instanceof ServerError) throw error;
    throw new ServerError(
      "ERR_SERVER_DATA_DIR",
      `open data directory ${dataDir}: ${reasonOf(error)}; name a folder that this user can write to`,
      { cause: error },
    );
  }
}
