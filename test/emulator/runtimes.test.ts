import { fileURLToPath } from "node:url";
import { createContext, Script } from "node:vm";
import { build, type Platform } from "esbuild";
import { describe, expect, it, vi } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../src/errors/index.ts";

/** Bundles the emulator with nothing left out, as for a page or a worker. */
async function bundle(platform: Platform): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../src/emulator/emulator.ts", import.meta.url))],
    bundle: true,
    platform,
    format: "iife",
    globalName: "kit",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/** Returns globals of a runtime that has `fetch` and its classes, and nothing of Node. */
function pageGlobals() {
  const { Request, Response, Headers, URL, AbortController, AbortSignal, ReadableStream, TextEncoder } = globalThis;
  const { setTimeout, clearTimeout, performance, DOMException } = globalThis;
  return {
    ...{ Request, Response, Headers, URL, AbortController, AbortSignal, ReadableStream, TextEncoder },
    ...{ setTimeout, clearTimeout, performance, DOMException },
  };
}

describe("the runtimes of the emulator", () => {
  it.each<Platform>(["browser", "neutral"])("a %s bundle holds all of it, and runs without Node", async (platform) => {
    const context = createContext(pageGlobals());
    new Script(await bundle(platform)).runInContext(context);
    const status = await new Script(`(async () => {
      const emulator = kit.createEmulator({ pace: 0 });
      const response = await emulator.fetch("https://emulator.example/flight/fare_quote", {
        method: "POST",
        headers: { "client-id": "c", "client-secret": "s", "content-type": "application/json" },
        body: JSON.stringify({ ...emulator.seedSearch(), client_referenceId: "r" }),
      });
      const refused = await emulator.listen().catch((error) => error.name + ": " + error.message);
      return [response.status, refused];
    })()`).runInContext(context);
    expect(status).toEqual([200, expect.stringContaining("ConfigurationError: emulator.listen: this runtime has no")]);
  });

  it("listen() says what a runtime without node:http lacks, and what to use", async () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const refused = createEmulator().listen();
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(/no `node:http`.*`emulator\.fetch`.*`npx serviceapi emulator`/);
  });
});
