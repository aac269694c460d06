import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../src/errors/index.ts";
import { ServiceApi } from "../../src/index.ts";
import { environmentNote, readEnvironment } from "../../src/shared/environment.ts";
import { throws } from "../support/throws.ts";

describe("readEnvironment", () => {
  it("returns a variable that is set, and undefined otherwise", () => {
    vi.stubEnv("SERVICEAPI_TEST", "value");
    expect(readEnvironment("SERVICEAPI_TEST")).toBe("value");
    expect(readEnvironment("SERVICEAPI_NOT_SET")).toBeUndefined();
  });

  it("returns undefined if there is no process (the edge) or it has no environment", () => {
    vi.stubGlobal("process", undefined);
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
    vi.stubGlobal("process", {});
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
  });

  it("returns undefined if reading is not allowed: Deno throws", () => {
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
    expect(environmentNote("SERVICEAPI_TEST")).toBe(" and allow reading it (Deno: --allow-env=SERVICEAPI_TEST)");
  });

  it("does not ask for a permission that Deno has not granted", () => {
    vi.stubEnv("SERVICEAPI_TEST", "value");
    const granted = new Set<string>();
    const querySync = ({ variable }: { variable: string }) => ({ state: granted.has(variable) ? "granted" : "prompt" });
    vi.stubGlobal("Deno", { permissions: { querySync } });
    expect(readEnvironment("SERVICEAPI_TEST")).toBeUndefined();
    granted.add("SERVICEAPI_TEST");
    expect(readEnvironment("SERVICEAPI_TEST")).toBe("value");
  });

  it("a message about a missing variable mentions the permission to read it only if that is missing", async () => {
    const call = () => new ServiceApi().flights.fareQuote({ trace_id: "t", token: "t" });
    const message = "`baseUrl` is missing: pass it as an option of the client, or set SERVICEAPI_BASE_URL";
    vi.stubGlobal("process", undefined);
    await expect(call()).rejects.toThrow(new ConfigurationError(`${message}.`));
    const denied = throws(new Error("NotCapable"));
    vi.stubGlobal("process", { env: new Proxy({}, { get: denied }) });
    await expect(call()).rejects.toThrow(
      new ConfigurationError(`${message} and allow reading it (Deno: --allow-env=SERVICEAPI_BASE_URL).`),
    );
  });
});
