import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { passenger } from "../../support/passenger.ts";
import { order, rowsOf } from "./orders.ts";
import { type Station, startStation } from "./support.ts";

describe("an outcome that is not known", () => {
  it.each(["TIMEOUTBOOKED", "TIMEOUTNOTBOOKED", "NOPNR"])(
    "ends with exit code 5 for %s, and is not sent again",
    async (lname) => {
      const station = await startStation();
      const args = [...order(station, { lname }), "--yes"];
      const { out, err, code } = await station.run([...args, "--reference", "order-17"]);
      expect([code, out]).toEqual([5, ""]);
      expect(err).toMatch(/The booking may exist[\s\S]*serviceapi bookings reconcile order-17 --booked <PNR>/);
      expect(err).toMatch(/ --not-booked {2}# in [1-9]\d* min \d+ s: until then it may still be booked$/m);
      expect(rowsOf(station).at(-1)).toMatchObject({ state: "unknown", clientReferenceId: "order-17" });
      expect(await station.run(args)).toMatchObject({ code: 3, err: expect.stringMatching(/order-17/) });
      expect(station.sent()).toBe(1);
    },
  );

  it("is named when a booking is prepared for another name, which the journal cannot compare", async () => {
    const station = await startStation();
    await station.run([...order(station, { lname: "TIMEOUTBOOKED" }), "--yes", "--reference", "order-17"]);
    const { trace_id, token } = station.emulator.seedSearch();
    const args = order({ ...station, search: [trace_id, token] });
    expect(await station.run(args)).toMatchObject({
      code: 7,
      err: expect.stringMatching(
        /^The journal has an open booking, which may have been made: order-17\. .*: npx serviceapi bookings\.$/m,
      ),
    });
    expect(await station.run([...args, "--json"])).toMatchObject({ err: expect.not.stringContaining("open booking") });
  });

  it("is what a timeout leaves, also as JSON", async () => {
    const station = await startStation();
    station.emulator.on("flights.book", "no-response-after");
    const { out, code } = await station.run([...order(station), "--yes", "--timeout", "3000", "--json"]);
    const { error } = JSON.parse(out);
    expect([code, error]).toMatchObject([5, { kind: "booking_outcome_unknown", outcome: "unknown" }]);
    expect(rowsOf(station).at(-1)?.clientReferenceId).toBe(error.clientReferenceId);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("is what %s leaves once it was sent, and says so", async (signal) => {
    const station = await startStation();
    station.emulator.on("flights.book", "no-response-after");
    const { child, ended } = station.start([...order(station), "--yes", "--reference", "order-17"]);
    await expect.poll(station.sent).toBe(1);
    child.kill(signal);
    const { out, err, code } = await ended;
    expect([code, out]).toEqual([5, ""]);
    expect(err).toMatch(/^Interrupted\. [\s\S]*The booking may exist[\s\S]*order-17/);
    expect(rowsOf(station).at(-1)).toMatchObject({ state: "unknown" });
  });

  it("keeps exit code 5 although a second signal comes after the report", async () => {
    const station = await startStation();
    station.emulator.on("flights.book", "no-response-after");
    // It lives until its input ends, so that the signal cannot come too late.
    const env = { NODE_OPTIONS: "--import data:text/javascript,process.stdin.resume()" };
    const { child, ended } = station.start([...order(station), "--yes"], { stdin: null, env });
    await expect.poll(station.sent).toBe(1);
    child.kill("SIGINT");
    for await (const part of child.stderr.iterator({ destroyOnReturn: false })) {
      if (/--not-booked/.test(String(part))) break;
    }
    child.kill("SIGINT");
    child.kill("SIGTERM");
    // The process takes signals one by one: it has met them when it meets the end of its input.
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 5, signal: null });
  });

  it("keeps exit code 5 on a second Ctrl-C, although the journal hangs", async () => {
    const station = await startStation();
    station.emulator.on("flights.book", "no-response-after");
    // After the first one no file can be opened, as on a network drive that is away.
    const hang =
      "import fs from 'node:fs/promises';import{syncBuiltinESMExports}from'node:module';process.stdin.resume();" +
      "process.once('SIGINT',()=>{fs.open=()=>new Promise(()=>{});syncBuiltinESMExports()})";
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hang)}` };
    const args = [...order(station), "--yes", "--reference", "order-17"];
    const { child, ended } = station.start(args, { stdin: null, env });
    await expect.poll(station.sent).toBe(1);
    child.kill("SIGINT");
    await once(child.stderr, "data");
    // Sooner it would count as the first one, which npx passes on.
    await sleep(150);
    child.kill("SIGINT");
    const { out, err, code } = await ended;
    expect([code, out]).toEqual([5, ""]);
    expect(err).toMatch(/^Interrupted\. .*\nStopped\. The booking order-17 may exist: npx serviceapi bookings says/);
    expect(rowsOf(station).at(-1)).toMatchObject({ state: "sent", clientReferenceId: "order-17" });
  });

  it("does not begin if Ctrl-C comes before it was sent", async () => {
    const station = await startStation();
    station.emulator.on("flights.fareQuote", "no-response");
    const { child, ended } = station.start([...order(station), "--yes"]);
    await expect.poll(() => station.emulator.requests.length).toBe(1);
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, out: "" });
    expect(station.sent()).toBe(0);
  });
});

describe("an output that nobody reads", () => {
  it.each([[["--json"]], [[]]])(
    "leaves exit code 5 to an unknown outcome, and its advice on standard error (%j)",
    async (flags) => {
      const station = await startStation();
      const args = [...order(station, { lname: "TIMEOUTBOOKED" }), "--yes", "--reference", "order-17", ...flags];
      const { child, ended } = station.start(args);
      child.stdout.destroy();
      expect(await ended).toMatchObject({ code: 5, err: expect.stringMatching(/reconcile order-17 --not-booked/) });
    },
  );

  it.each([[["--json"]], [[]]])("gets the PNR of a booking on standard error (%j)", async (flags) => {
    const station = await startStation();
    const { child, ended } = station.start([...order(station), "--yes", "--reference", "order-17", ...flags]);
    child.stdout.destroy();
    const { err, code } = await ended;
    const { pnr, bookingId } = rowsOf(station).at(-1) ?? {};
    expect([code, err]).toEqual([
      0,
      `error: The output could not be written. It is booked: PNR ${pnr}, booking ID ${bookingId}, reference order-17.\n`,
    ]);
  });

  it("takes a preview and a refusal for no success", async () => {
    const station = await startStation();
    for (const [flags, expected] of [
      [[], 7],
      [["--json"], 3],
    ] as const) {
      if (expected === 3) station.emulator.on("flights.fareQuote", "success-higher-than-search");
      const { child, ended } = station.start([...order(station), ...flags]);
      child.stdout.destroy();
      expect(await ended).toMatchObject({ code: expected });
    }
  });

  it("books all the same, and records it, if nothing can be written at all", async () => {
    const station = await startStation();
    const { child, ended } = station.start([...order(station), "--yes"]);
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await ended).toMatchObject({ code: 0 });
    expect([station.sent(), rowsOf(station).at(-1)?.state]).toEqual([1, "booked"]);
  });
});

describe("what cannot be booked", () => {
  it.each<[string, (station: Station) => readonly string[], RegExp]>([
    [
      "an amount without a currency",
      () => ["--max-total", "7480"],
      /amount with its currency, such as "7600 INR" or "7600\.50 INR"/,
    ],
    ["a limit in two currencies", () => ["--max-total", "7480", "INR", "USD"], /amount with its currency/],
    ["a negative limit", () => ["--max-total=-1 INR"], /amount with its currency/],
    ["a file that is not there", () => ["--passengers", "missing.json"], /missing\.json does not exist/],
    ["a file that is no list", ({ write }) => ["--passengers", write("one.json", passenger())], /must be a list/],
    [
      "a list with something else",
      ({ write }) => ["--passengers", write("two.json", [passenger(), "RAVI"])],
      /passenger 2 in the JSON must be an object; see/,
    ],
    ["a journal in no folder", () => ["--journal", "/no/such/folder/j.jsonl"], /folder .* does not exist/],
    ["a damaged journal", ({ write }) => ["--journal", write("j.jsonl", '{"a":1}\n')], /Line 1 of .* is not a row/],
    ["an unknown check", () => ["--accept-issues", "everything"], /--accept-issues/],
  ])("refuses %s with exit code 2, and sends no booking", async (_, args, message) => {
    const station = await startStation();
    const { err, code, out } = await station.run([...order(station), ...args(station), "--yes"]);
    expect([code, out, err, station.sent()]).toEqual([2, "", expect.stringMatching(message), 0]);
  });

  it("ends with exit code 1 if the journal cannot be written", async () => {
    const station = await startStation();
    const folder = `${station.folder}/folder`;
    mkdirSync(folder);
    const { err, code } = await station.run([...order(station), "--journal", folder, "--yes"]);
    expect([code, err, station.sent()]).toEqual([1, expect.stringMatching(/is a folder/), 0]);
  });

  it("ends with exit code 6 if the service cannot be reached", async () => {
    const station = await startStation();
    const env = { SERVICEAPI_BASE_URL: "http://127.0.0.1:9" };
    expect(await station.run([...order(station), "--yes"], { env })).toMatchObject({ code: 6, out: "" });
  });
});
