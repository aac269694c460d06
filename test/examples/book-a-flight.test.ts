import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createEmulator } from "serviceapi/emulator";
import { describe, expect, it, vi } from "vitest";
import { readFlags } from "../../examples/book-a-flight/flags.ts";
import { bookAFlight, type Settled } from "../../examples/book-a-flight/program.ts";
import { openTerminal } from "../../examples/book-a-flight/terminal.ts";
import { UserError } from "../../examples/book-a-flight/user-error.ts";
import { samplePassengers } from "../flights/offers.ts";
import { runProgram } from "../support/program.ts";

const main = fileURLToPath(new URL("../../examples/book-a-flight/main.ts", import.meta.url));
const presets = ["", "", "", "", "", ""]; // mobile, e-mail, address, city, country, country code
const ravi = ["Mr", "RAVI", "SAMPLE", "M", "1988-07-14", ...presets];

/** Runs the program on this input, one line for each question. */
async function run(answers: readonly string[], settled: Settled = {}, yes = false) {
  const output = new PassThrough();
  const shown = text(output);
  using terminal = openTerminal(Readable.from(answers.map((answer) => `${answer}\n`)), output, yes);
  const code = await bookAFlight(terminal, settled).finally(() => output.end());
  return { code, shown: await shown };
}

describe("examples/book-a-flight", () => {
  it("shows the quote and the fees, asks for the passenger and ends with a PNR", async () => {
    const { code, shown } = await run(["1", ...ravi, "y"]);
    expect(shown).toMatch(/outbound {2}ZZ 101 {2}DEL \d{4}-\d\d-\d\d 06:15 {2}BOM/);
    expect(shown).toMatch(/total INR +7480/);
    expect(shown).toMatch(/Reissue +INR 3000 +not allowed/);
    expect(shown).toMatch(/Cancellation +INR 3500 +INR 6000/);
    expect(shown).toMatch(/PNR \w+, booking \d+, reference [0-9A-Z]{26}/);
    expect(shown).toMatch(/Booked as you saw it\.\n {2}This is a reservation, not a ticket\. .* left\./);
    expect(code).toBe(0);
  });

  it("reports mistakes as they are typed, and suggests the correction", async () => {
    const typed = ["Mrs", "RAVI", "O/BRIEN", "M", "1988-02-30", ...presets];
    const { code, shown } = await run([...typed, "1988-02-28", "", "", "y"], {
      search: "domestic-oneway-full-service",
    });
    expect(shown).toContain("The title does not match the gender.\n  title [Mr]:");
    expect(shown).toContain("Enter the last name as printed on the ID.\n  If the last name is missing");
    expect(shown).toContain("lname [O BRIEN]:");
    expect(code).toBe(0);
  });

  it("asks again when the price has changed, and books at the new one", async () => {
    const settled: Settled = { search: "domestic-oneway-full-service", priceChange: true };
    const { code, shown } = await run([...ravi, "y", "y"], settled);
    expect(shown).toContain("The offer has changed since you saw it. Nothing is booked yet.");
    expect(shown).toMatch(/Book for INR 7480\?.*[\s\S]*Book for INR 8250\?/);
    expect(code).toBe(0);
    expect(await run([...ravi, "y", "n"], settled)).toMatchObject({
      code: 1,
      shown: expect.stringContaining("Nothing is booked."),
    });
  });

  it("asks before it goes on without passports, and stops if the user declines", async () => {
    const settled: Settled = {
      search: "international-roundtrip-family",
      passengers: samplePassengers("international-family-ssr-gst"),
    };
    const refused = await run(["n"], settled);
    expect(refused.shown).toContain("error: offer.passport_required_at_book");
    expect(refused.shown).toMatch(/DXB: 231 min, overnight/);
    expect(refused.code).toBe(1);
    expect(await run([], settled, true)).toMatchObject({
      code: 0,
      shown: expect.stringContaining("Booked as you saw it."),
    });
  });

  it("asks for GST if the fare requires it", async () => {
    const neha = ["Ms", "NEHA", "SAMPLE", "F", "1988-02-29", ...presets];
    const { code, shown } = await run(["5", ...neha, "", "", "", "", "", "y"]);
    expect(shown).toContain("GST number [29AAAAA0000A1Z5]");
    expect(code).toBe(0);
  });

  it.each([
    ["TIMECHANGE", 0, "Flight ZZ 101 leaves 50 minutes later."],
    ["WAITLIST", 0, "Flight ZZ 101 is not confirmed."],
    ["PRICECHANGE", 0, "The price is INR 770 higher than quoted."],
    ["TIMEOUTBOOKED", 2, "Do not book again."],
    ["NOPNR", 2, "The booking may exist"],
  ])("the last name %s ends with %i", async (lname, code, words) => {
    const typed = ["Mr", "RAVI", lname, "M", "1988-07-14", ...presets];
    const result = await run([...typed, "y"], { search: "domestic-oneway-full-service" });
    expect(result.shown).toContain(words);
    expect(result.code).toBe(code);
  });

  it("says that a duplicate may be booked", async () => {
    const emulator = createEmulator();
    const { trace_id, token } = emulator.seedSearch("domestic-oneway-full-service");
    vi.stubEnv("SERVICEAPI_BASE_URL", "https://emulator.example");
    vi.stubEnv("SERVICEAPI_CLIENT_ID", "demo-client").stubEnv("SERVICEAPI_CLIENT_SECRET", "demo-secret");
    vi.stubEnv("TRACE_ID", trace_id).stubEnv("TOKEN", token);
    // A gateway that sends each booking twice.
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      if (/book/i.test(url)) await emulator.fetch(url, init);
      return emulator.fetch(url, init);
    });
    const { code, shown } = await run([...ravi, "y"]);
    expect({ code, count: emulator.bookings.length }).toEqual({ code: 2, count: 1 });
    expect(shown).not.toContain("Nothing is booked");
  });

  it("asks again for a number out of range", async () => {
    const { shown } = await run(["9", "2", "Mr", "RAVI", "SAMPLE", "M", "1988-07-14", ...presets, "n"]);
    expect(shown).toContain("Enter its number.");
    expect(shown).toContain("Budget Example Air");
  });

  it("ends when its input ends", async () => {
    await expect(run(["1", "Mr"])).rejects.toThrow('No answer to "  First name".');
  });

  it("runs as a program, from a pipe", async () => {
    const child = spawn(
      process.execPath,
      ["--import", "tsx", main, "--yes", "--search", "domestic-oneway-full-service"],
      {
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    child.stdin.end(`${ravi.join("\n")}\n`);
    const [shown, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    expect(shown).toMatch(/PNR \w+/);
    expect(code).toBe(0);
  });

  it("books for the passengers of a file without asking a question", async () => {
    const passengers = fileURLToPath(new URL("../../examples/book-a-flight/passengers.json", import.meta.url));
    const args = ["--search", "domestic-oneway-full-service", "--passengers", passengers, "--yes"];
    const { exitCode, output } = await runProgram(main, args);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringMatching(/PNR \w+/) });
    expect(output).not.toMatch(/Title|Before you book/);
  });

  it.each([
    [["--nope"], "Unknown option '--nope'"],
    [["--search", "to-the-moon"], 'Unknown search "to-the-moon". Known are domestic-oneway-full-service, '],
    [["--passengers", "no-such-file.json"], "no-such-file.json could not be read: ENOENT"],
    [["--passengers", "README.md"], "README.md is not JSON."],
    [["--passengers", "package.json"], "package.json is not a list of passengers"],
  ])("refuses %j before anything else", (args, message) => {
    expect(() => readFlags(args)).toThrow(UserError);
    expect(() => readFlags(args)).toThrow(message);
  });

  it("reports in one line why it stops", async () => {
    const [unknown, unanswered, help] = await Promise.all([
      runProgram(main, ["--search", "to-the-moon"]),
      runProgram(main, ["--search", "domestic-oneway-lcc"]),
      runProgram(main, ["--help"]),
    ]);
    expect(unknown).toEqual({ exitCode: 1, output: expect.stringMatching(/^error: Unknown search .*\n$/) });
    expect(unanswered).toEqual({ exitCode: 1, output: expect.stringMatching(/\nerror: No answer to .*\n$/) });
    expect(help).toEqual({ exitCode: 0, output: expect.stringMatching(/^Books a flight[\s\S]* {2}--search <name> /) });
  });
});
