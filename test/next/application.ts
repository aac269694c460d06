import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { run, start } from "../runtimes/drive/process.ts";
import { application } from "./paths.ts";

const next = join(application, "node_modules/next/dist/bin/next");
/** Only the loopback interface is used. */
const quiet = { NEXT_TELEMETRY_DISABLED: "1", NEXT_IGNORE_INCORRECT_LOCKFILE: "1", CI: "1" };

export interface RunningApplication {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** `next build`, which also checks that Next.js takes the types of what the route exports; then `next start`. */
export async function startApplication(env: Record<string, string>, folder = application): Promise<RunningApplication> {
  const removeBuild = async () => {
    for (const made of [".next", "next-env.d.ts"]) await rm(join(folder, made), { recursive: true, force: true });
  };
  await removeBuild();
  await run(process.execPath, [next, "build", folder], { ...quiet, ...env }).catch(async (error) => {
    await removeBuild();
    throw error;
  });
  const { child, written } = start(
    process.execPath,
    [next, "start", folder, "--hostname", "127.0.0.1", "--port", "0"],
    { ...quiet, ...env },
  );
  const ended = once(child, "close");
  const stop = async () => {
    child.kill();
    await ended;
    await removeBuild();
  };
  try {
    return { url: await listening(child.stdout as Readable), stop };
  } catch (error) {
    await stop();
    throw new Error(`next start did not listen:\n${written.err}\n${written.out}`, { cause: error });
  }
}

/** The address that Next.js prints once it takes requests. */
async function listening(output: Readable): Promise<string> {
  let text = "";
  for await (const chunk of output.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (url !== undefined && text.includes("Ready")) return url;
  }
  throw new Error("it ended");
}
