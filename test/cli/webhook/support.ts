import type { RequestListener } from "node:http";
import { serviceapi } from "../../support/command.ts";
import { listen } from "../../support/server.ts";

/** The secret of these tests. */
export const secret = "hunter2-hunter2";

/** The end of a run: its standard output and standard error, and its exit code. */
export interface Outcome {
  readonly output: string;
  readonly code: number | null;
}

/** Starts a receiver and returns the URL of its hook. */
export async function startReceiver(listener: RequestListener): Promise<string> {
  return `${(await listen(listener)).url}/hook`;
}

/** Runs `serviceapi webhook` as a process. */
export async function webhook(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin = "",
): Promise<Outcome> {
  const { stdout, stderr, code } = await serviceapi(["webhook", ...args], { env: { NO_COLOR: "1", ...env }, stdin });
  return { output: stdout + stderr, code };
}
