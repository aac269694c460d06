import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmulator, type EmulatorServer } from "../../src/emulator/emulator.ts";
import { runProgram } from "../support/program.ts";
import { blocks, root } from "./blocks.ts";

const programs = blocks().filter(({ runs }) => runs);

describe("the programs of the guides", { concurrent: true, timeout: 120_000 }, () => {
  const emulator = createEmulator({ pace: 0 });
  let service: EmulatorServer;
  let folder: string;

  beforeAll(async () => {
    service = await emulator.listen();
    // Inside the project, so that packages are found; with a dot, so that tsc passes it by.
    folder = await mkdtemp(join(root, "test/docs/.programs-"));
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  it.skipIf(programs.length === 0).each(programs.map((program, i) => ({ ...program, i })))(
    "$place runs",
    async ({ code, i }) => {
      const file = join(folder, `program-${i}.mts`);
      await writeFile(file, code);
      const search = emulator.seedSearch();
      const { exitCode, output } = await runProgram(file, [], {
        SERVICEAPI_BASE_URL: service.url,
        SERVICEAPI_CLIENT_ID: "demo-client",
        SERVICEAPI_CLIENT_SECRET: "demo-secret-of-the-guides",
        TRACE_ID: search.trace_id,
        TOKEN: search.token,
      });
      expect(output).not.toContain("demo-secret-of-the-guides");
      expect({ exitCode, output }).toEqual({ exitCode: 0, output });
    },
  );
});
