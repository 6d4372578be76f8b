// The process itself: what client_golang's process collector reads on Linux, and V8's heap under
// the names that Node programs use. Elsewhere than on Linux, what Node does not know is left out.
// Upstream: github.com/prometheus/client_golang prometheus/process_collector_procfsenabled.go.
import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../../runtime/clock.ts";
import type { MetricFamily } from "../../metrics/index.ts";

/** Reads the process's figures whenever it is called. */
export function processFamilies(clock: Clock): () => MetricFamily[] {
  const startedAt = clock.now() / 1000 - process.uptime();
  return () => [...cpuAndMemory(startedAt), ...fromProc()].flatMap((one) => one ?? []);
}

function cpuAndMemory(startedAt: number): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  return [
    figure(
      "process_cpu_seconds_total",
      "Total user and system CPU time spent in seconds.",
      (user + system) / 1e6,
    ),
    figure("process_resident_memory_bytes", "Resident memory size in bytes.", rss),
    figure(
      "process_start_time_seconds",
      "Start time of the process since unix epoch in seconds.",
      startedAt,
    ),
    figure("nodejs_heap_size_total_bytes", "Process heap size from Node.js in bytes.", heapTotal),
    figure(
      "nodejs_heap_size_used_bytes",
      "Process heap size used from Node.js in bytes.",
      heapUsed,
    ),
    figure("nodejs_external_memory_bytes", "Node.js external memory size in bytes.", external),
  ];
}

function fromProc(): readonly (MetricFamily | undefined)[] {
  if (process.platform !== "linux") return [];
  const status = readProc("status");
  const limits = readProc("limits");
  return [
    maybe(
      "process_virtual_memory_bytes",
      "Virtual memory size in bytes.",
      kilobytes(/^VmSize:\s*(\d+) kB/m.exec(status)?.[1]),
    ),
    maybe(
      "process_virtual_memory_max_bytes",
      "Maximum amount of virtual memory available in bytes.",
      addressSpace(/^Max address space\s+(\S+)/m.exec(limits)?.[1]),
    ),
    maybe("process_open_fds", "Number of open file descriptors.", openFiles()),
    maybe(
      "process_max_fds",
      "Maximum number of open file descriptors.",
      numberOf(/^Max open files\s+(\d+)/m.exec(limits)?.[1]),
    ),
    ...networkBytes(readProc("net/netstat")),
  ];
}

/** Columns are named by the line before that of their values. */
function networkBytes(netstat: string): readonly (MetricFamily | undefined)[] {
  const [names = [], values = []] = netstat
    .split("\n")
    .filter((line) => line.startsWith("IpExt:"))
    .map((line) => line.split(" "));
  const column = (name: string): number | undefined => numberOf(values[names.indexOf(name)]);
  return [
    maybe(
      "process_network_receive_bytes_total",
      "Number of bytes received by the process over the network.",
      column("InOctets"),
    ),
    maybe(
      "process_network_transmit_bytes_total",
      "Number of bytes sent by the process over the network.",
      column("OutOctets"),
    ),
  ];
}

/** "" where it cannot be read. */
function readProc(file: string): string {
  try {
    return readFileSync(`/proc/self/${file}`, "utf8");
  } catch {
    return "";
  }
}

function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}

function figure(name: string, help: string, value: number): MetricFamily {
  const type = name.endsWith("_total") ? "counter" : "gauge";
  return { name, help, type, samples: [{ labels: {}, value }] };
}

const maybe = (name: string, help: string, value: number | undefined): MetricFamily | undefined =>
  value === undefined ? undefined : figure(name, help, value);

const numberOf = (text: string | undefined): number | undefined =>
  text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);

/** As Go prints it: without a limit 2^64 - 1. */
const addressSpace = (text: string | undefined): number | undefined =>
  text === "unlimited" ? 2 ** 64 : numberOf(text);

function kilobytes(text: string | undefined): number | undefined {
  const size = numberOf(text);
  return size === undefined ? undefined : size * 1024;
}
