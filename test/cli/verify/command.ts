import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { type Launched, launch, launchProgram, type RunOptions } from "../../support/command.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { environmentOf, startEmulator } from "../support.ts";

/** A command that was started, and its end. */
interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string; readonly errors: string }>;
}

/** Starts `serviceapi verify` in a separate process, as a user does. */
export function startVerify(args: readonly string[], url: string, options?: RunOptions): Started {
  return started(launch(["verify", ...args], { ...options, env: { NO_COLOR: "1", ...environmentOf(url) } }));
}

/** Starts another program, such as a shell, with the environment of the command. */
export function startProcess(program: string, args: readonly string[], url: string): Started {
  return started(launchProgram(program, args, { env: { NO_COLOR: "1", ...environmentOf(url) } }));
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

/** A file of numbers. */
export const csvOf = (numbers: readonly string[]) => `mobile\n${numbers.join("\n")}\n`;

/** Starts an emulator, with a file to look up, one for the results, and the command between them. */
export async function startFile(content = people, flags: readonly string[] = []) {
  const { emulator, url, env } = await startEmulator();
  const [file, out] = [temporaryFile("people.csv", content), temporaryFile("result.csv")];
  const args = ["--file", file, "--out", out, ...fast, ...flags];
  const results = () => readFileSync(out, "utf8");
  return {
    ...{ emulator, url, env, file, out, args, results },
    start: (...more: readonly string[]) => startVerify([...args, ...more], url),
    run: (...more: readonly string[]) => verify([...args, ...more], url),
    rows: () => rowsIn(out),
  };
}

/** The rows of a file of results that has no line end within a cell. */
export const rowsIn = (out: string) => readFileSync(out, "utf8").trim().split("\n").slice(1);
