import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, read } from "../docs/blocks.ts";

const run = promisify(execFile);
let app = "";

describe("the first program of README.md, in a new project with the built package", () => {
  beforeAll(async () => {
    app = mkdtempSync(join(tmpdir(), "serviceapi-paste-"));
    await run("npm", ["init", "-y"], { cwd: app, shell: process.platform === "win32" });
    const installed = join(app, "node_modules/serviceapi");
    cpSync("dist", join(installed, "dist"), { recursive: true });
    cpSync("package.json", join(installed, "package.json"));
  });
  afterAll(() => rmSync(app, { recursive: true, force: true }));

  it("runs as start.mts, though npm init writes another type of module", async () => {
    expect(JSON.parse(readFileSync(join(app, "package.json"), "utf8")).type).not.toBe("module");
    const [program] = blocksOf("README.md", read("README.md"));
    writeFileSync(join(app, "start.mts"), program?.code ?? "");
    // Whole, because Windows needs more than PATH, but without settings of this machine.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:SERVICEAPI|NODE)_/i.test(name)),
    );
    const { stdout } = await run(process.execPath, ["start.mts"], { cwd: app, env });
    expect(stdout).toMatch(/ASHA EXAMPLE \[[\s\S]*Pune[\s\S]*7480 \w{6}\ncredit order-17 8500/);
  });
});
