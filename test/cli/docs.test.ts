import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read, root } from "../docs/blocks.ts";
import { type Service, startService } from "../docs/service.ts";

/** A command of a `console` block, and the exit code that its comment names. */
interface Command {
  readonly command: string;
  readonly exitCode: number;
}

const guide = read("docs/cli.md");

/** The commands of each block of docs/cli.md, except those of a block that says why it is not run. */
const scripts: readonly (readonly Command[])[] = [
  ...guide.matchAll(/(<!-- not run: [^>]{15,} -->\n\n)?^```console\n([\s\S]*?)^```$/gm),
]
  .filter(([, notRun]) => notRun === undefined)
  .map(([, , block = ""]) =>
    [...block.matchAll(/^\$ (.*\n(?: .*\n)*)/gm)].map(([, command = ""]) => ({
      command,
      exitCode: Number(/# .*exit code (\d+)/.exec(command)?.[1] ?? 0),
    })),
  );

/** The files that the commands name. */
const files: Readonly<Record<string, string>> = {
  ".env": "SERVICEAPI_CLIENT_ID=from-the-file\n",
  "notes.md": "# Notes\n\nBuy two tickets.\n",
  "people.csv": "name,mobile\nAsha,98765 40001\nRavi,9876540404\n",
  "passengers.json": /```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "",
};

/** Stands in for curl, which a bare machine lacks: `-s --json <body> <url>`. */
const curl = `const [, body, url] = process.argv.slice(2).filter((word) => word !== "-s");
const response = await fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
process.stdout.write(await response.text());`;

describe("the commands of docs/cli.md", { concurrent: true, timeout: 240_000 }, () => {
  let service: Service;
  let bin: string;

  beforeAll(async () => {
    service = await startService();
    bin = await mkdtemp(join(tmpdir(), "serviceapi-bin-"));
    const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(root, "dist/cli/main.js")}' "$@"\n`;
    await writeFile(join(bin, "npx"), npx, { mode: 0o755 });
    await writeFile(join(bin, "curl.mjs"), curl);
    const stub = `#!/bin/sh\nexec '${process.execPath}' '${join(bin, "curl.mjs")}' "$@"\n`;
    await writeFile(join(bin, "curl"), stub, { mode: 0o755 });
  });
  afterAll(async () => {
    await service.close();
    await rm(bin, { recursive: true });
  });

  it("are many", () => {
    expect(scripts.flat().length).toBeGreaterThan(20);
  });

  it.skipIf(process.platform === "win32").each(scripts.map((lines) => ({ name: lines[0]?.command, lines })))(
    "$name",
    async ({ lines }) => {
      const folder = await mkdtemp(join(tmpdir(), "serviceapi-commands-"));
      try {
        for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
        for (const { command, exitCode } of lines) {
          const ended = await run(command, folder);
          expect({ command, ...ended }).toEqual({ command, exitCode, output: ended.output });
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );

  function run(command: string, cwd: string): Promise<{ readonly exitCode: number; readonly output: string }> {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(SERVICEAPI|NODE|VITEST|FORCE_COLOR)/.test(name),
    );
    const env = {
      ...Object.fromEntries(inherited),
      SERVICEAPI_CLIENT_ID: "demo-client",
      SERVICEAPI_CLIENT_SECRET: "demo-secret-of-the-guides",
      SERVICEAPI_WEBHOOK_SECRET: "the-secret-of-the-panel",
      SERVICEAPI_JOURNAL: join(cwd, "bookings.jsonl"),
      ...service.environment(),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
    };
    return new Promise((resolve) => {
      const child = execFile("sh", ["-c", command], { cwd, env }, (error, stdout, stderr) =>
        resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
      child.stdin?.end();
    });
  }
});
