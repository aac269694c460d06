import { describe, vi } from "vitest";
import type { ClientOptions } from "../../src/index.ts";

/** The clients of these suites get a `nodeFetch` unless a test brings its own `fetch`. */
vi.mock("../support/client.ts", async (importOriginal) => {
  const { nodeFetch } = await import("../../src/node/index.ts");
  const original = await importOriginal<typeof import("../support/client.ts")>();
  return {
    ...original,
    clientOf: (server: { readonly url: string }, options: ClientOptions = {}) =>
      original.clientOf(server, { fetch: nodeFetch(), ...options }),
  };
});

const suites = [
  ...["answers", "as-response", "deadlines", "documented-refusals", "echoed-secrets", "headers", "leaks", "log"],
  ...["redirects", "request-id", "retries", "retry-pause", "secrets", "sending", "streaming-response", "unawaited"],
  ...["unexpected", "unknown-outcome"],
];

describe.each(suites)("nodeFetch keeps what the transport promises with fetch: %s", async (suite) => {
  await import(`../transport/${suite}.test.ts`);
});
