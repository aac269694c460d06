import { afterEach, describe, expect, it, vi } from "vitest";
import { readEnvironment } from "../src/options.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe("readEnvironment", () => {
  it("gives what is set, and undefined for what is not", () => {
    vi.stubEnv("SERVICEAPI_TEST", "value");
    expect(readEnvironment("SERVICEAPI_TEST")).toBe("value");
    expect(readEnvironment("SERVICEAPI_NOT_SET")).toBeUndefined();
  });

  it("gives undefined where there is no process (the edge) or it has no environment", () => {
    vi.stubGlobal("process", undefined);
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
    vi.stubGlobal("process", {});
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
  });

  it("gives undefined where reading is not allowed: Deno throws", () => {
    const env = new Proxy(
      {},
      {
        get() {
          throw new Error('Requires env access to "SERVICEAPI_TEST"');
        },
      },
    );
    vi.stubGlobal("process", { env });
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
  });
});
