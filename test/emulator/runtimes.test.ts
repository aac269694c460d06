import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ConfigurationError } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => vi.unstubAllGlobals());

describe("the runtimes of the emulator", () => {
  it("are those of bundles for browsers and workers too, which take no import of a module of Node", async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("../../src/emulator/emulator.ts", import.meta.url))],
      bundle: true,
      platform: "browser",
      format: "esm",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
  });

  it("without node:http have no listen(), and say so", async () => {
    const emulator = createEmulator();
    vi.stubGlobal("process", undefined);
    const error = await emulator.listen().catch((error: unknown) => error);
    vi.unstubAllGlobals();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ message: "emulator.listen() needs node:http, which this runtime does not have." });
  });
});
