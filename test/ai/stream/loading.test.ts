import { afterEach, describe, expect, it, vi } from "vitest";
import { startServer } from "../../support/server.ts";
import { throws } from "../../support/throws.ts";

const params = { user: { text: "Hello" } };
const path = "../../../src/ai/stream/open-stream.ts";

/** A client that has not read a stream yet, in this module graph. */
async function freshClient(server: { readonly url: string }) {
  vi.resetModules();
  const { ServiceApi } = await import("../../../src/index.ts");
  return new ServiceApi({
    baseUrl: server.url,
    clientId: "client",
    clientSecret: "secret",
  });
}

describe("the part that reads streams is loaded with the first one", () => {
  afterEach(() => {
    vi.doUnmock(path);
    vi.resetModules();
  });

  it("and an abort meanwhile sends nothing", async () => {
    const server = await startServer((response) => response.end());
    const stream = (await freshClient(server)).ai.stream(params);
    const pulled = stream[Symbol.asyncIterator]().next();
    stream.abort("no");
    await expect(pulled).rejects.toMatchObject({ name: "AbortError", outcome: "notSent" });
    expect(stream.state).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  it("and nothing is sent if it cannot be loaded", async () => {
    const server = await startServer((response) => response.end());
    vi.doMock(path, throws(new Error("no such chunk")));
    const stream = (await freshClient(server)).ai.stream(params);
    await expect(stream.finalText()).rejects.toMatchObject({
      name: "ConfigurationError",
      outcome: "notSent",
      message: expect.stringContaining("could not be loaded. Nothing was sent."),
    });
    expect(stream.state).toBe("failed");
    expect(server.requests).toHaveLength(0);
  });
});
