import { describe, expect, it } from "vitest";
import { launch, openTerminal } from "../../support/command.ts";
import { gate } from "../../support/gate.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { order, rowsOf } from "../flights/orders.ts";
import { startStation } from "../flights/support.ts";

const look = ["verify", "6000000001", "--consent", "Y"];

/** Starts a service that responds to look-ups and bookings when the test lets it. */
async function startSlowService() {
  const station = await startStation();
  const released = gate();
  const wait = async () => void (await released.opened);
  station.emulator.on("verification.findVpas", wait);
  station.emulator.on("flights.book", wait);
  return { station, env: station.environment, released };
}

// The pseudo-terminal of util-linux.
describe.runIf(process.platform === "linux")("a response that takes long", () => {
  it("is announced on a terminal with the time that is left, and not in a pipe or with --json", async () => {
    const { station, env, released } = await startSlowService();
    const piped = launch(look, { env });
    await expect.poll(() => station.emulator.requests.length).toBe(1);
    const json = openTerminal([...look, "--json"], { env });
    await expect.poll(() => station.emulator.requests.length).toBe(2);
    // The others have waited longer by then: a note of theirs would be there.
    const terminal = openTerminal([...look, "--timeout", "20000"], { env });
    await terminal.until(/No response yet\. This attempt waits for up to 17 s more\./);
    released.open();
    expect(await Promise.all([terminal.exit, json.exit])).toEqual([0, 0]);
    expect(terminal.output().match(/No response/g)).toHaveLength(1);
    expect(JSON.parse(json.output())).toMatchObject({ accountStatus: "VALID" });
    expect(await piped.ended).toMatchObject({ code: 0, stderr: "" });
  });

  it("is announced once for a file, before its first result", async () => {
    const { env, released } = await startSlowService();
    const file = temporaryFile("people.csv", "mobile\n6000000001\n6000000002\n");
    const args = ["verify", "--file", file, "--out", temporaryFile("result.csv"), "--consent", "Y"];
    const terminal = openTerminal(args, { env, columns: 200 });
    await terminal.until(/No response yet\. This attempt waits for up to 27 s more\./);
    released.open();
    expect(await terminal.exit).toBe(0);
    expect(terminal.output().match(/No response/g)).toHaveLength(1);
  });

  it("is announced for each attempt, without --timeout with the time of the operation", async () => {
    const { station, env, released } = await startSlowService();
    const failure = gate();
    station.emulator.on("verification.findVpas", async () => {
      if (station.emulator.requests.length > 1) return void (await released.opened);
      await failure.opened;
      return Response.json({ status: "failed" }, { status: 503, headers: { "retry-after": "0" } });
    });
    const terminal = openTerminal(look, { env, columns: 200 });
    const first = await terminal.until(/No response yet\. This attempt waits for up to 27 s more\./);
    failure.open();
    const again = await terminal.until(/The service was not available\. Trying again in 0 s\./, first);
    await terminal.until(/No response yet\. This attempt waits for up to 27 s more\./, again);
    released.open();
    expect(await terminal.exit).toBe(0);
  });

  it("says of a booking to let it finish, and Ctrl-C does what it says", async () => {
    const { station, env, released } = await startSlowService();
    const terminal = openTerminal([...order(station), "--yes", "--reference", "order-17"], { env, columns: 400 });
    const note = await terminal.until(
      /The booking has no response yet\. Waiting for up to 2 min 57 s more\. Let it finish: after Ctrl-C the flight may be booked all the same, and the journal keeps the booking as open/,
    );
    expect(terminal.output()).not.toContain("No response yet");
    terminal.write("\u0003");
    await terminal.until(/Interrupted\.[\s\S]*The booking may exist[\s\S]*reconcile order-17/, note);
    expect(await terminal.exit).toBe(5);
    expect(rowsOf(station).at(-1)).toMatchObject({ state: "unknown", clientReferenceId: "order-17" });
    released.open();
  });
});
