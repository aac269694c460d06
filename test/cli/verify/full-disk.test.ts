import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canMount } from "../../support/can-mount.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { csvOf, fast, startFile, startProcess, verify } from "./command.ts";

const numbers = Array.from({ length: 400 }, (_, index) => `6${String(index).padStart(5, "0")}1111`);
/** The command for a file of numbers, as a shell reads it. */
function commandFor(list: readonly string[]): string {
  const file = temporaryFile("people.csv", csvOf(list));
  const args = [process.execPath, "dist/cli/main.js", "verify", "--file", file, ...fast];
  return args.map((arg) => `'${arg}'`).join(" ");
}

describe("an output that cannot be written", () => {
  it.skipIf(!canMount)(
    "a full disk ends the run with code 1, and the next one continues when there is space",
    async () => {
      const { emulator, url } = await startEmulator();
      const disk = temporaryFile("disk");
      const run = `${commandFor(numbers)} --out ${disk}/result.csv`;
      const kept = temporaryFile("kept.csv");
      // A disk of 16 pages; twelve are taken until after the first run.
      const script = `
      mkdir ${disk} && mount -t tmpfs -o size=64k none ${disk} || exit 99
      head -c 49152 /dev/zero > ${disk}/filler
      ${run}; echo "code $?"; ${run} --json; echo "code $?"
      cp ${disk}/result.csv ${kept}.first; ls ${disk}
      rm ${disk}/filler
      ${run}; echo "code $?"
      cp ${disk}/result.csv ${kept}`;
      const { code, output, errors } = await startProcess("unshare", ["-rm", "sh", "-c", script], url).ended;
      expect(code).toBe(0);
      const [first = "", json = "", rest = ""] = output.split(/code \d\n/);
      expect(output.match(/code \d/g)).toEqual(["code 1", "code 1", "code 0"]);
      const full = /^--out: .*result\.csv could not be written: no space left on device \(ENOSPC\)\.$/;
      expect(first).toBe("");
      expect(JSON.parse(json)).toEqual({ error: { name: "OutputError", message: expect.stringMatching(full) } });
      expect(errors).toMatch(
        /error: --out: .*no space left.*\nThe rows so far are kept\. Run the same command again to continue\.\n/,
      );
      expect(errors).not.toMatch(/\n\s+at /);
      // The lock went with the run.
      expect(rest).toMatch(/^filler\nresult\.csv\n400 of 400 rows in result\.csv \(\d+ from before\)/);
      const rows = readFileSync(kept, "utf8").trim().split("\n").slice(1);
      expect(rows.map((row) => row.split(",")[0])).toEqual(numbers);
      expect(readFileSync(kept, "utf8").startsWith(readFileSync(`${kept}.first`, "utf8").replace(/[^\n]*$/, ""))).toBe(
        true,
      );
      expect(emulator.requests.length).toBeLessThan(400 + 3 * 16);
    },
  );

  it.skipIf(!canMount)(
    "--retry on a full disk ends with code 1, loses no row, and is done when there is space",
    async () => {
      const { emulator, url } = await startEmulator();
      const [disk, kept] = [temporaryFile("disk"), temporaryFile("kept.csv")];
      const run = `${commandFor(numbers)} --out ${disk}/result.csv`;
      // The results take nine pages. The copy finds four, and then enough.
      const script = `
      mkdir ${disk} && mount -t tmpfs -o size=128k none ${disk} || exit 99
      ${run}; echo "code $?"
      sed -i '350,360s/,found,/,failed,/' ${disk}/result.csv; cp ${disk}/result.csv ${kept}.before
      head -c 65536 /dev/zero > ${disk}/filler
      ${run} --retry; echo "code $?"
      cp ${disk}/result.csv ${kept}.full
      rm ${disk}/filler
      ${run} --retry; echo "code $?"
      cp ${disk}/result.csv ${kept}; ls ${disk}`;
      const { code, output, errors } = await startProcess("unshare", ["-rm", "sh", "-c", script], url).ended;
      expect([code, output.match(/code \d/g)]).toEqual([0, ["code 0", "code 1", "code 0"]]);
      expect(errors).toMatch(
        /error: --out: .*result\.csv\.retry could not be written: no space left on device \(ENOSPC\)\./,
      );
      expect(readFileSync(`${kept}.full`)).toEqual(readFileSync(`${kept}.before`));
      const rows = readFileSync(kept, "utf8").trim().split("\n").slice(1);
      expect(rows.map((row) => row.split(",").slice(0, 3))).toEqual(numbers.map((one) => [one, one, "found"]));
      expect(output.trim().split("\n").at(-1)).toBe("result.csv");
      expect(emulator.requests.length).toBeGreaterThan(400);
    },
  );

  it.skipIf(!canMount)("a disk too full for the lock ends the run with code 1, and leaves no lock", async () => {
    const { emulator, url } = await startEmulator();
    const disk = temporaryFile("disk");
    const run = `${commandFor(["6000000001"])} --out ${disk}/result.csv`;
    const script = `
      mkdir ${disk} && mount -t tmpfs -o size=16k none ${disk} || exit 99
      head -c 16384 /dev/zero > ${disk}/filler
      ${run}; echo "code $?"; ls ${disk}; rm ${disk}/filler
      ${run}; echo "code $?"; ls ${disk}`;
    const { code, output, errors } = await startProcess("unshare", ["-rm", "sh", "-c", script], url).ended;
    expect([code, output]).toEqual([
      0,
      "code 1\nfiller\nresult.csv\n1 of 1 rows in result.csv: 1 found\ncode 0\nresult.csv\n",
    ]);
    expect(errors).toMatch(
      /^error: --out: .*\.lock, the lock, could not be written: no space left on device \(ENOSPC\)\.\n$/,
    );
    expect(emulator.requests).toHaveLength(1);
  });

  it("a folder that does not exist exits with code 2, and nothing is sent", async () => {
    const { emulator, url, file } = await startFile(csvOf(numbers));
    expect(await verify(["--file", file, "--out", `${file}.d/result.csv`, ...fast], url)).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^error: --out: .* no such file or directory \(ENOENT\)\.$/m),
    });
    expect(emulator.requests).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("standard output on a full disk exits with code 1, and says so", async () => {
    const { url } = await startEmulator();
    const script = `${commandFor(numbers.slice(0, 3))} > /dev/full`;
    const { code, errors } = await startProcess("sh", ["-c", script], url).ended;
    expect([code, errors]).toEqual([1, "error: The output could not be written (ENOSPC).\n"]);
  });
});
