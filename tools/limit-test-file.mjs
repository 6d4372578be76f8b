// Preloaded into the process of each test file: ends one that goes on too long, and says which it
// is and what keeps it alive, such as a server that a failed test has left open. Node's
// --test-timeout bounds tests, not files.
const limitMs = Number(process.env.TEST_FILE_LIMIT_MS);

// The runner itself is preloaded too.
if (process.env.NODE_TEST_CONTEXT !== undefined && limitMs > 0)
  setTimeout(() => {
    const holding = [...new Set(process.getActiveResourcesInfo())].join(", ");
    process.stderr.write(
      `${process.argv[1]} did not end within ${limitMs / 1000} s; what keeps it: ${holding}\n`,
    );
    process.exit(1);
  }, limitMs).unref();
