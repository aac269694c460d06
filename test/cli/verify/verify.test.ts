import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../../support/command.ts";
import { deadAddress } from "../../support/server.ts";
import { startEmulator, startVerify, temporaryFile } from "./command.ts";

const people = "id,mobile,city\n1,6000000001,Pune\n2,6000000404,Agra\n3,12,\n4,60000 00002,Puri\n";
const consent = ["--consent", "Y"] as const;
const fast = [...consent, "--per-second", "1000"] as const;

/** Runs the command to its end against a service. */
async function verify(args: readonly string[], url?: string) {
  return startVerify(args, url ?? (await startEmulator()).url).ended;
}

describe("serviceapi verify <number>", { timeout: 30_000 }, () => {
  it("prints a table, masked, and unmasked with --show-pii", async () => {
    const { url } = await startEmulator();
    const { code, output, errors } = await verify(["6000000001", ...consent], url);
    expect([code, errors]).toEqual([0, ""]);
    expect(output).toMatchInlineSnapshot(`
      "UPI IDs of 60••••••01
        name        A••• E••••••
        VPA         60••••••01@examplebank
        all VPAs    60••••••01@examplebank
                    60••••••01@samplepay
                    as••••••••••-1@demoupi
        account     VALID
        partner ID  PT••••••••••••01
      "
    `);
    const shown = await verify(["+91 60000 00001", ...consent, "--show-pii"], url);
    expect(shown.output).toMatch(
      /^UPI IDs of 6000000001\n {2}name {8}ASHA EXAMPLE\n {2}VPA {9}6000000001@examplebank$/m,
    );
  });

  it("prints one JSON document with --json, masked as well", async () => {
    const { url } = await startEmulator();
    const { code, output } = await verify(["6000000001", ...consent, "--json"], url);
    expect(output).not.toMatch(/6000000001|ASHA/);
    expect([code, JSON.parse(output)]).toMatchObject([0, { name: "A••• E••••••", accountStatus: "VALID" }]);
    const { output: shown } = await verify(["6000000001", ...consent, "--json", "--show-pii"], url);
    expect(JSON.parse(shown)).toMatchObject({ name: "ASHA EXAMPLE", clientData: { mobile: "6000000001" } });
  });

  it("says if the account is not usable for payments", async () => {
    const { output } = await verify(["6000000003", ...consent]);
    expect(output).toMatch(/^ {2}account {5}\w+ \(not usable for payments\)$/m);
  });

  it("removes what a terminal would obey from the response", async () => {
    const { emulator, url } = await startEmulator();
    emulator.script("verification.findVpas", {
      name: "\u001b]0;owned\u0007\u001b[2JASHA\u202e",
      accountStatus: "\u009b31m",
    });
    const { output } = await verify(["6000000001", ...consent, "--show-pii"], url);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
    expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(output).toContain("ASHA");
  });

  it.each([
    [["6000000404", ...consent], 4, /^error: NotFoundError: .*No UPI ID/],
    [["12", ...consent], 2, /^error: RequestValidationError: .*ten digits/],
    [["6000000001"], 2, /required option '--consent <Y>' not specified/],
    [["6000000001", "--consent", "N"], 2, /Allowed choices are Y/],
    [[...consent], 2, /Pass one mobile number, or a file/],
    [["6000000001", "--file", "people.csv", ...consent], 2, /Pass one mobile number, or a file/],
    [["6000000001", ...consent, "--per-second", "9"], 2, /--per-second has no effect without --file/],
    [["6000000001", ...consent, "--out", "result.csv"], 2, /--out has no effect without --file/],
    [["--file", "people.csv", ...consent, "--per-second", "0"], 2, /at least 0\.01/],
    [["--file", "people.csv", ...consent, "--concurrency", "many"], 2, /at least 1/],
    [["--file", "people.csv", ...consent, "--delimiter", "ab"], 2, /one character/],
    [["--file", "/no/such/people.csv", ...consent], 2, /does not exist/],
  ] as const)("%j exits with code %i", async (args, code, message) => {
    const { output, errors, ...ended } = await verify(args);
    expect([ended.code, output, errors]).toEqual([code, "", expect.stringMatching(message)]);
    expect(errors).not.toMatch(/\n\s+at /);
  });

  it.each([
    ["auth", 3, "AuthenticationError"],
    ["unavailable", 6, "ServiceUnavailableError"],
  ] as const)("a service that responds %s exits with code %i, as JSON with --json", async (scenario, code, name) => {
    const { emulator, url } = await startEmulator();
    emulator.use(scenario);
    const ended = await verify(["6000000001", ...consent, "--json"], url);
    expect([ended.code, JSON.parse(ended.output)]).toMatchObject([code, { error: { name } }]);
  });

  it("has a help that says what it does", async () => {
    const { code, output } = await verify(["--help"]);
    expect(code).toBe(0);
    await expect(output).toMatchFileSnapshot("help.txt");
  });
});

describe("serviceapi verify --file", { timeout: 60_000 }, () => {
  it("writes a row for each row: all columns, and those of the result", async () => {
    const file = temporaryFile("people.csv", people);
    const out = temporaryFile("result.csv");
    const { code, output } = await verify(["--file", file, "--out", out, ...fast]);
    expect([code, output]).toEqual([0, "4 of 4 rows in result.csv: 2 found, 1 notFound, 1 invalid\n"]);
    expect(readFileSync(out, "utf8")).toMatchInlineSnapshot(`
      "id,mobile,city,looked_up,status,vpa,vpa_list,name,account_status,error
      1,6000000001,Pune,6000000001,found,6000000001@examplebank,6000000001@examplebank 6000000001@samplepay asha.example-1@demoupi,ASHA EXAMPLE,VALID,
      2,6000000404,Agra,6000000404,notFound,,,,,"verification.findVpas: the service refused the call (not_found, HTTP 404, code 404): No UPI ID found linked to the mobile number. The service has nothing for this request."
      3,12,,12,invalid,,,,,"verification.findVpas: vpa_mobile must be an Indian mobile number: ten digits, the first from 6 to 9. Nothing was sent."
      4,60000 00002,Puri,60000 00002,found,6000000002@demoupi,6000000002@demoupi,MR RAVI SAMPLE,VALID,
      "
    `);
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it("prints CSV and JSON masked, and unmasked with --show-pii", async () => {
    const { url } = await startEmulator();
    const file = temporaryFile("people.csv", people);
    const csv = await verify(["--file", file, ...fast], url);
    expect(csv.output.split("\n")[1]).toMatch(
      /^1,60••••••01,P•••,60••••••01,found,60••••••01@examplebank,.*,A••• E••••••,VALID,$/,
    );
    const json = await verify(["--file", file, ...fast, "--json"], url);
    const lines = json.output.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { row: 1, input: { id: "1", mobile: "60••••••01", city: "P•••" }, status: "found", name: "A••• E••••••" },
      { row: 2, status: "notFound" },
      { row: 3, status: "invalid" },
      { row: 4, status: "found" },
    ]);
    for (const { output, errors } of [csv, json]) expect(output + errors).not.toMatch(/600000000|ASHA|Pune/);
    const shown = await verify(["--file", file, ...fast, "--json", "--show-pii"], url);
    expect(JSON.parse(shown.output.split("\n")[0] ?? "")).toMatchObject({
      input: { mobile: "6000000001", city: "Pune" },
    });
  });

  it("prints a summary as JSON if the rows go to a file", async () => {
    const out = temporaryFile("result.csv");
    const { output } = await verify(["--file", temporaryFile("people.csv", people), "--out", out, ...fast, "--json"]);
    expect(JSON.parse(output)).toEqual({
      ...{ rows: 4, done: 4, before: 0 },
      ...{ found: 2, notFound: 1, pending: 0, invalid: 1, error: 0 },
    });
  });

  it("names a result column `result_…` if the input has one of that name", async () => {
    const out = temporaryFile("result.csv");
    const file = temporaryFile("people.csv", "phone;name;status\n6000000002;Ravi;new\n");
    await verify(["--file", file, "--column", "phone", "--out", out, ...fast]);
    expect(readFileSync(out, "utf8").split("\n").slice(0, 2)).toEqual([
      "phone;name;status;looked_up;result_status;vpa;vpa_list;result_name;account_status;error",
      "6000000002;Ravi;new;6000000002;found;6000000002@demoupi;6000000002@demoupi;MR RAVI SAMPLE;VALID;",
    ]);
  });

  it("puts a ' before what a spreadsheet would run, unless told to keep it", async () => {
    const { emulator, url } = await startEmulator();
    emulator.script("verification.findVpas", { name: '=HYPERLINK("http://x")', accountStatus: "+1" });
    const file = temporaryFile("people.csv", "mobile\n6000000001\n");
    const out = temporaryFile("result.csv");
    await verify(["--file", file, "--out", out, ...fast], url);
    expect(readFileSync(out, "utf8")).toMatch(/,"'=HYPERLINK\(""http:\/\/x""\)",'\+1,$/m);
    await verify(["--file", file, "--out", out, "--overwrite", "--keep-formulas", ...fast], url);
    expect(readFileSync(out, "utf8")).toMatch(/,"=HYPERLINK\(""http:\/\/x""\)",\+1,$/m);
  });

  it("has nothing to do for a file that is complete, and refuses one of another input", async () => {
    const { emulator, url } = await startEmulator();
    const out = temporaryFile("result.csv");
    const args = ["--file", temporaryFile("people.csv", people), "--out", out, ...fast];
    await verify(args, url);
    const asked = emulator.requests.length;
    expect(await verify(args, url)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\d+ of \d+ rows in .* \(\d+ from before\)/),
    });
    expect(emulator.requests).toHaveLength(asked);
    const other = temporaryFile("people.csv", people.replace("Agra", "Surat"));
    expect(await verify(["--file", other, "--out", out, ...fast], url)).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/its row 2 is not that of the input.*--overwrite/),
    });
  });

  it("asks again for numbers that the service is still looking up with --pending; exits with code 1 without", async () => {
    const { emulator, url } = await startEmulator();
    const file = temporaryFile("people.csv", "mobile\n6000000001\n");
    const args = ["--file", file, ...fast, "--json"];
    emulator.use("failed-pending", { operation: "verification.findVpas", times: 2 });
    const without = await verify(args, url);
    expect([without.code, JSON.parse(without.output).status]).toEqual([1, "pending"]);
    const again = await verify([...args, "--pending", "1", "--pending-delay", "20"], url);
    expect([again.code, JSON.parse(again.output).status]).toEqual([0, "found"]);
  });

  it("stops if the service is out of reach, without a row for what it did not look up", async () => {
    const out = temporaryFile("result.csv");
    const rows = Array.from({ length: 40 }, (_, index) => `60000${String(index).padStart(5, "0")}`);
    const file = temporaryFile("people.csv", `mobile\n${rows.join("\n")}\n`);
    const { code, errors } = await verify(["--file", file, "--out", out, ...fast], await deadAddress());
    expect([code, errors]).toEqual([6, expect.stringMatching(/Run the same command again[\s\S]*ConnectionError/)]);
    expect(readFileSync(out, "utf8").split("\n")).toHaveLength(2);
  });

  it("refused credentials exit with code 3 and leave a file that continues", async () => {
    const { emulator, url } = await startEmulator();
    emulator.use("auth", { times: 1 });
    const out = temporaryFile("result.csv");
    const args = ["--file", temporaryFile("people.csv", people), "--out", out, ...fast];
    expect((await verify(args, url)).code).toBe(3);
    expect((await verify(args, url)).code).toBe(0);
    expect(readFileSync(out, "utf8").trim().split("\n")).toHaveLength(5);
  });

  it("sends nothing for a file whose form is wrong", async () => {
    const { emulator, url } = await startEmulator();
    const out = temporaryFile("result.csv");
    const file = temporaryFile("people.csv", "mobile,city\n6000000001,Pune\n6000000002,Puri,\n");
    expect(await verify(["--file", file, "--out", out, ...fast], url)).toMatchObject({ code: 2 });
    expect([emulator.requests.length, existsSync(out)]).toEqual([0, false]);
  });

  it.skipIf(process.platform === "win32")("the second Ctrl-C ends it now, although a request hangs", async () => {
    const { emulator, url } = await startEmulator();
    emulator.use("no-response");
    const file = temporaryFile("people.csv", people);
    const { child, ended } = startVerify(["--file", file, "--out", temporaryFile("result.csv"), ...fast], url);
    await expect.poll(() => emulator.requests.length, { timeout: 20_000 }).toBeGreaterThan(0);
    child.kill("SIGINT");
    await once(child.stderr ?? child, "data");
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, errors: expect.stringMatching(/Press Ctrl-C again/) });
  });

  it.skipIf(process.platform !== "linux")("shows a bar with rate and time left on a terminal", async () => {
    const { url } = await startEmulator();
    const file = temporaryFile("people.csv", people);
    const env = {
      SERVICEAPI_BASE_URL: url,
      SERVICEAPI_CLIENT_ID: "demo-client",
      SERVICEAPI_CLIENT_SECRET: "demo-secret",
    };
    const args = ["verify", "--file", file, "--out", temporaryFile("result.csv"), ...fast];
    const terminal = openTerminal(args, { env, columns: 120 });
    expect(await terminal.exit).toBe(0);
    expect(terminal.output()).toMatch(/█{20} 100 % \| 4\/4 \| \d+\.\d\/s \| 0 s left \| 2 found, 1 failed/);
  });
});
