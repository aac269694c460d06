import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../../src/emulator/emulator.ts";

/** A command that was started, and its end. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

/** Starts `serviceapi verify` in a separate process, as a user does. */
export function startVerify(args: readonly string[], url: string, nodeArgs: readonly string[] = []): Started {
  const own = {
    SERVICEAPI_BASE_URL: url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "demo-secret",
  };
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:SERVICEAPI|NODE|FORCE_COLOR)/i.test(name));
  const child = spawn(process.execPath, [...nodeArgs, "dist/cli/main.js", "verify", ...args], {
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", ...own },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { child, ended: ended.then(([output, errors, [code]]) => ({ code, output, errors })) };
}

/** Starts an emulator that listens until the test ends. */
export async function startEmulator(): Promise<{ readonly emulator: Emulator; readonly url: string }> {
  const emulator = createEmulator();
  const server = await emulator.listen();
  onTestFinished(() => server.close());
  return { emulator, url: server.url };
}

/** Returns the path of a file in a folder that is removed after the test. */
export function temporaryFile(name: string, content?: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), "serviceapi-verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}
