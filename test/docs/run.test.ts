import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "../support/program.ts";
import { blocks, drivers, read, root } from "./blocks.ts";
import { type Service, startService } from "./service.ts";

const programs = blocks().filter(({ notRun }) => notRun === undefined);

describe("the programs of the guides", { concurrent: true, timeout: 240_000 }, () => {
  let service: Service;
  let folder: string;

  beforeAll(async () => {
    service = await startService();
    // Inside the project, so that packages are found; with a dot, so that tsc passes it by.
    folder = await mkdtemp(join(root, "test/docs/.programs-"));
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  it.each(programs.map((program, i) => ({ ...program, i })))("$place runs", async (program) => {
    const file = join(folder, `program-${program.i}.mts`);
    const before = ["../stand-ins/register.ts", ...(program.standsAlone ? [] : ["../prelude.ts"])];
    const start = join(folder, `start-${program.i}.mts`);
    await writeFile(file, `${program.code}\n${program.driver}`);
    await writeFile(
      start,
      // The files that a program writes stay in this folder.
      [`process.chdir(import.meta.dirname);\n`]
        .concat([...before, `./program-${program.i}.mts`].map((path) => `await import("${path}");\n`))
        .join(""),
    );
    const { exitCode, output } = await runProgram(start, [], {
      SERVICEAPI_CLIENT_ID: "demo-client",
      SERVICEAPI_CLIENT_SECRET: "demo-secret-of-the-guides",
      SERVICEAPI_WEBHOOK_SECRET: "the-secret-of-the-panel",
      PORT: "0",
      ...service.environment(),
    });
    expect(output).not.toContain("demo-secret-of-the-guides");
    expect({ exitCode, output }).toEqual({ exitCode: 0, output });
  });
});

describe("a block of the guides that is only compiled", () => {
  it("is one of a few, and says why", () => {
    const idle = blocks().flatMap(({ place, notRun }) => (notRun === undefined ? [] : [{ place, notRun }]));
    expect(idle.filter(({ notRun }) => notRun.length < 15)).toEqual([]);
    expect(idle.length).toBeLessThanOrEqual(programs.length / 10);
  });
});

describe("a section of drivers.md", () => {
  it.each(drivers)("belongs to one block of $guide: $text", ({ code }) => {
    expect(blocks().filter(({ driver }) => driver === code)).toHaveLength(1);
  });

  it("is read, as all of them are", () => {
    expect(drivers).toHaveLength(read("test/docs/drivers.md").split("\n## ").length - 1);
    expect(drivers.length).toBeGreaterThan(14);
  });
});
