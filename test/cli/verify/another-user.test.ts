import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { people, startFile, startVerify } from "./command.ts";

/** The user `nobody`. */
const nobody = 65_534;
const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const header = "mobile,looked_up,status,vpa,vpa_list,name,account_status,error\n";
const isRoot = process.getuid?.() === 0;
/** The folder of the project may be closed to others. */
const canRead =
  isRoot && spawnSync(process.execPath, [main, "--version"], { uid: nobody, gid: nobody, cwd: "/" }).status === 0;

const failed = `${header}6000000001,6000000001,failed,,,,,The look-up failed.\n`;

/** Starts an emulator, with a file and results in folders that are open to all. */
async function startForNobody(content: string, skip: (condition: boolean, reason: string) => void) {
  skip(!isRoot, "only root can start a command as another user");
  skip(!canRead, "another user cannot read the built command here");
  const started = await startFile(content);
  for (const path of [started.file, started.out]) chmodSync(dirname(path), 0o777);
  const as = { uid: nobody };
  return { ...started, runAs: (...more: string[]) => startVerify([...started.args, ...more], started.url, as).ended };
}

describe("an output of another user", () => {
  it.for([
    ["that may not be written", 0o644, /result\.csv could not be opened: permission denied \(EACCES\)\.$/m],
    ["that anybody may write", 0o666, /result\.csv could not be opened: operation not permitted \(EPERM\)\.$/m],
  ] as const)("%s is refused and left as it is, and nothing is sent", async ([, mode, message], { skip }) => {
    const { emulator, out, runAs } = await startForNobody(people, skip);
    writeFileSync(out, "");
    chmodSync(out, mode);
    for (const more of [[], ["--overwrite"], ["--retry"]]) {
      const { code, errors } = await runAs(...more);
      expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
    }
    expect([emulator.requests, readFileSync(out, "utf8"), statSync(out).mode & 0o777]).toEqual([[], "", mode]);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
  });

  it.for([
    ["the results", "result.csv"],
    ["the rows of a --retry that was killed", "result.csv.retry"],
  ] as const)("whose last row of %s is half is left as it is", async ([, name], { skip }) => {
    const { emulator, out, runAs } = await startForNobody("mobile\n6000000001\n6000000002\n", skip);
    writeFileSync(out, failed);
    chownSync(out, nobody, nobody);
    const half = `${header}6000000001,6000000001,found,a@b,a@b,ASHA,VALID,\n6000000002,60000`;
    const path = join(dirname(out), name);
    writeFileSync(path, half);
    chownSync(path, 0, 0);
    chmodSync(path, 0o666);
    const { code, errors } = await runAs();
    expect([code, errors]).toEqual([2, expect.stringMatching(/could not be opened: operation not permitted/)]);
    expect([readFileSync(path, "utf8"), emulator.requests]).toEqual([half, []]);
  });

  it("with rows that failed is not replaced", async ({ skip }) => {
    const { emulator, out, runAs } = await startForNobody("mobile\n6000000001\n", skip);
    writeFileSync(out, failed);
    chmodSync(out, 0o666);
    const { code, errors } = await runAs("--retry");
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/result\.csv could not be opened: operation not permitted/),
    ]);
    expect([emulator.requests, readFileSync(out, "utf8"), statSync(out).uid]).toEqual([[], failed, 0]);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
  });
});
