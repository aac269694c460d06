import type { ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../../src/emulator/emulator.ts";
import { type Launched, launch, launchProgram } from "../../support/command.ts";

/** A command that was started, and its end. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

/** Starts `serviceapi verify` in a separate process, as a user does. */
export function startVerify(args: readonly string[], url: string, nodeArgs: readonly string[] = []): Started {
  return started(launch(["verify", ...args], { env: environment(url), nodeArgs }));
}

/** Starts it as another user, which needs root. */
export function startVerifyAs(uid: number, args: readonly string[], url: string): Started {
  return started(launch(["verify", ...args], { env: environment(url), uid }));
}

/** Starts another program, such as a shell, with the environment of the command. */
export function startProcess(program: string, args: readonly string[], url: string): Started {
  return started(launchProgram(program, args, { env: environment(url) }));
}

function environment(url: string): Readonly<Record<string, string>> {
  return {
    NO_COLOR: "1",
    SERVICEAPI_BASE_URL: url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "demo-secret",
  };
}

function started({ child, ended }: Launched): Started {
  return { child, ended: ended.then(({ code, stdout, stderr }) => ({ code, output: stdout, errors: stderr })) };
}

/** Runs the command to its end against a service. */
export async function verify(args: readonly string[], url?: string) {
  return startVerify(args, url ?? (await startEmulator()).url).ended;
}

/** The flag that every look-up requires. */
export const consent = ["--consent", "Y"] as const;
/** The flags of a file that is looked up as fast as the emulator can. */
export const fast = [...consent, "--per-second", "1000"] as const;
/** A file with a row of each kind that the library decides. */
export const people = "id,mobile,city\n1,6000000001,Pune\n2,6000000404,Agra\n3,12,\n4,60000 00002,Puri\n";

/** Starts an emulator that listens until the test ends. */
export async function startEmulator(): Promise<{ readonly emulator: Emulator; readonly url: string }> {
  const emulator = createEmulator();
  const server = await emulator.listen();
  onTestFinished(() => server.close());
  return { emulator, url: server.url };
}
