import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../../support/command.ts";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { consent, csvOf, startFile, startVerify } from "./command.ts";

const numbers = Array.from({ length: 60 }, (_, index) => `60000${String(index).padStart(2, "0")}111`);

/** Returns the lines that a terminal shows in the end: each is what was written to it last. */
const linesOn = (output: string) =>
  stripVTControlCharacters(output.replaceAll("\u001b[1G", "\r"))
    .split("\n")
    .map((line) => line.replace(/\r$/, "").split("\r").at(-1));

// Windows has no signals: a Ctrl-C from another process kills.
describe.skipIf(process.platform === "win32")("serviceapi verify --file: Ctrl-C", () => {
  it("lets the requests under way finish, and leaves all other rows to the next run", async () => {
    const { emulator, start, rows } = await startFile(csvOf(numbers), ["--concurrency", "2"]);
    const underWay = gate();
    const released = gate();
    emulator.on("verification.findVpas", async () => {
      if (emulator.requests.length === 2) underWay.open();
      await released.opened;
      return undefined;
    });
    const { child, ended } = start();
    await underWay.opened;
    child.kill("SIGINT");
    await once(child.stderr ?? child, "data");
    released.open();
    const { code, output, errors } = await ended;
    expect([code, output]).toEqual([130, "2 of 60 rows in result.csv: 2 found\n"]);
    expect(errors).toBe(
      "Stopping after the requests that are under way. Press Ctrl-C again to stop now.\n" +
        "Run the same command again to continue.\n",
    );
    expect([emulator.requests.length, rows().length]).toEqual([2, 2]);
    expect(await start().ended).toMatchObject({ code: 0 });
    expect(rows().map((row) => row.split(",")[0])).toEqual(numbers);
    expect(emulator.requests).toHaveLength(60);
  });

  it.skipIf(process.platform !== "linux")("says so above the line of the progress, and sums up below it", async () => {
    const { emulator, env, args } = await startFile(csvOf(numbers), ["--concurrency", "2"]);
    const underWay = gate();
    const released = gate();
    emulator.on("verification.findVpas", async () => {
      if (emulator.requests.length === 3) underWay.open();
      if (emulator.requests.length > 1) await released.opened;
      return undefined;
    });
    const terminal = openTerminal(["verify", ...args], { env, columns: 80 });
    await underWay.opened;
    await terminal.until(/1 found/);
    terminal.write("\u0003");
    await terminal.until(/Stopping/);
    released.open();
    expect(await terminal.exit).toBe(130);
    expect(linesOn(terminal.output()).slice(-5)).toEqual([
      "Stopping after the requests that are under way. Press Ctrl-C again to stop now.",
      expect.stringMatching(/^3 of 60 rows, \d+\.\d\/s, \d+ s left, 3 found$/),
      "3 of 60 rows in result.csv: 3 found",
      "Run the same command again to continue.",
      "",
    ]);
  });

  it("the second one ends it now, although a request hangs", async () => {
    const { emulator, start } = await startFile();
    emulator.on("*", "no-response");
    const { child, ended } = start();
    await expect.poll(() => emulator.requests.length).toBeGreaterThan(0);
    child.kill("SIGINT");
    await once(child.stderr ?? child, "data");
    // Sooner it would count as the first one, which npx passes on.
    await sleep(150);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, errors: expect.stringMatching(/Press Ctrl-C again/) });
  });

  it("one after the last row does not replace the exit code", async () => {
    const { url } = await startEmulator();
    // The process ends when the test lets it.
    const hold = "const timer=setInterval(()=>{},1000);process.on('SIGUSR2',()=>clearInterval(timer))";
    const script = `process.once('beforeExit',()=>{${hold};process.stderr.write('ending')})`;
    const args = ["--file", temporaryFile("people.csv", "mobile\n6000000001\n"), ...consent];
    const nodeArgs = ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
    const { child, ended } = startVerify(args, url, { nodeArgs });
    const ending = gate();
    child.stderr?.on("data", (chunk) => String(chunk).includes("ending") && ending.open());
    await ending.opened;
    child.kill("SIGINT");
    child.kill("SIGTERM");
    child.kill("SIGUSR2");
    expect(await ended).toMatchObject({ code: 0 });
  });
});
