import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../docs/blocks.ts";

const dated = "Released 2026-11-22.";

/** Runs the script in a project, with a registry that has some versions, and returns what it prints. */
async function due(published: readonly string[], released = dated): Promise<string> {
  const versions = Object.fromEntries(published.map((version) => [version, { name: "due", version }]));
  const description = { name: "due", "dist-tags": { latest: published[0] }, versions };
  const registry = createHttpServer((_, response) => {
    if (published.length === 0) response.writeHead(404).end("{}");
    else response.end(JSON.stringify(description));
  });
  onTestFinished(() => void registry.close());
  await once(registry.listen(0, "127.0.0.1"), "listening");
  return run(project(released), `http://127.0.0.1:${(registry.address() as AddressInfo).port}`);
}

/** A project whose version is 1.1.0. */
function project(released: string): string {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-due-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "due", version: "1.1.0" }));
  writeFileSync(join(folder, "CHANGELOG.md"), `# Changelog\n\nWords.\n\n## 1.1.0\n\n${released}\n`);
  return folder;
}

async function run(folder: string, registry: string): Promise<string> {
  const env = {
    ...process.env,
    npm_config_registry: registry,
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  const script = join(root, "scripts/release/due.ts");
  return (await promisify(execFile)(process.execPath, [script], { cwd: folder, env })).stdout;
}

describe("the workflow publishes", () => {
  it("a dated version that npm lacks", async () => {
    expect(await due(["1.0.0"])).toBe("due=true\n");
  });

  it.each([
    ["one that npm has", ["1.0.0", "1.1.0"], dated],
    ["one that CHANGELOG.md does not date", ["1.0.0"], "Not released yet."],
    ["the first version, for which npm cannot trust it yet", [], dated],
  ])("not %s", async (_, published, released) => {
    expect(await due(published, released)).toBe("due=false\n");
  });

  it("nothing, and fails, while npm does not respond", async () => {
    const silent = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await expect(run(project(dated), `http://127.0.0.1:${port}`)).rejects.toThrow("ECONNRESET");
  });
});
