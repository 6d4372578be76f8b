// A process with nothing to do but its watchdog.
import { silentLog } from "../log/create-log.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { Watchdog } from "./watchdog.ts";

const { clock } = createSystemRuntime();
await new Watchdog({ clock, afterMs: 500, log: silentLog }).open();
await new Promise((resolve) => setTimeout(resolve, 300));
process.exitCode = 7;
