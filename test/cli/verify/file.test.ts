import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { openTerminal } from "../../support/command.ts";
import { gate } from "../../support/gate.ts";
import { deadAddress } from "../../support/server.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { csvOf, fast, people, startFile, verify } from "./command.ts";

const numbersUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => `60000${`${index}`.padStart(5, "0")}`);

describe("serviceapi verify --file", () => {
  it("writes a row for each row: all columns, and those of the result", async () => {
    const { run, out, results } = await startFile();
    const { code, output } = await run();
    expect([code, output]).toEqual([0, "4 of 4 rows in result.csv: 2 found, 1 notFound, 1 invalid\n"]);
    expect(results()).toMatchInlineSnapshot(`
      "id,mobile,city,looked_up,status,vpa,vpa_list,name,account_status,error
      1,6000000001,Pune,6000000001,found,6000000001@examplebank,6000000001@examplebank 6000000001@samplepay asha.example-1@demoupi,ASHA EXAMPLE,VALID,
      2,6000000404,Agra,6000000404,notFound,,,,,No UPI ID is linked to this number.
      3,12,,12,invalid,,,,,"This is not an Indian mobile number: it must have ten digits, the first from 6 to 9."
      4,60000 00002,Puri,60000 00002,found,6000000002@demoupi,6000000002@demoupi,MR RAVI SAMPLE,VALID,
      "
    `);
    if (process.platform !== "win32") expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it("says in the row and in the summary what to check in a result that contradicts itself", async () => {
    const { run, results } = await startFile("mobile\n6000000004\n");
    const { code, errors } = await run();
    expect([code, errors]).toEqual([0, "1 found to check before paying: see the column error.\n"]);
    const again = await run("--json");
    expect(JSON.parse(again.output)).toMatchObject({ before: 1, found: 1, toCheck: 1 });
    expect(results()).toMatch(
      /,found,other@demoupi,.*,VALID,The VPA is not in the list of all VPAs\. .* The account has no name\.$/m,
    );
  });

  it("says in the row and in the summary that an account is not usable for payments, also of earlier rows", async () => {
    const { emulator, run, results } = await startFile("mobile\n6000000003\n6000000001\n6000000002\n");
    emulator.on("verification.findVpas", ({ vpa_mobile }) =>
      vpa_mobile === "6000000001" ? { accountStatus: "Asha Example" } : undefined,
    );
    const { code, errors } = await run();
    expect([code, errors]).toEqual([0, "2 found to check before paying: see the column error.\n"]);
    expect(results()).toMatch(
      /,DORMANT,"The account is DORMANT, not VALID: not usable for payments\."\n.*,Asha Example,The account is not VALID: .*\n.*,VALID,\n$/,
    );
    const again = await run("--json");
    expect(JSON.parse(again.output)).toMatchObject({ before: 3, found: 3, toCheck: 2 });
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
      { row: 2, status: "notFound", vpa: null, vpa_list: [], error: "No UPI ID is linked to this number." },
      { row: 3, status: "invalid" },
      { row: 4, status: "found", vpa_list: ["60••••••02@demoupi"], error: null },
    ]);
    for (const { output, errors } of [csv, json]) expect(output + errors).not.toMatch(/600000000|ASHA|Pune/);
    const shown = await verify(["--file", file, ...fast, "--json", "--show-pii"], url);
    expect(JSON.parse(shown.output.split("\n")[0] ?? "")).toMatchObject({
      input: { mobile: "6000000001", city: "Pune" },
    });
  });

  it("prints a summary as JSON if the rows go to a file", async () => {
    const { output } = await (await startFile()).run("--json");
    expect(JSON.parse(output)).toEqual({
      ...{ rows: 4, done: 4, before: 0, retried: 0 },
      ...{ found: 2, notFound: 1, pending: 0, invalid: 1, failed: 0, toCheck: 0 },
    });
  });

  it.each([
    ["CRLF header, LF rows", "mobile,city\r\n6000000001,Pune\n6000000404,Agra\n12,Puri\n"],
    ["LF header, CRLF rows", "mobile,city\n6000000001,Pune\r\n6000000404,Agra\r\n12,Puri\r\n"],
    ["CR header, LF rows", "mobile,city\r6000000001,Pune\n6000000404,Agra\n12,Puri"],
    ["a different end of each row", "mobile,city\r\n6000000001,Pune\r6000000404,Agra\n12,Puri\r\r\n"],
  ])("reads each row, whatever ends its line: %s", async (_ends, content) => {
    const { run, results } = await startFile(content);
    expect((await run()).output).toBe("3 of 3 rows in result.csv: 1 found, 1 notFound, 1 invalid\n");
    expect(results().match(/^\d+,(?:Pune|Agra|Puri),.*(?:found|notFound|invalid),/gm)).toHaveLength(3);
  });

  it("keeps a line end inside a field, also when it continues", async () => {
    const { run } = await startFile('mobile,city\n6000000001,"Pune\rWest"\n');
    expect((await run()).code).toBe(0);
    const { code, errors } = await run();
    expect([code, errors]).toEqual([0, expect.not.stringContaining("does not belong")]);
  });

  it("names a result column `result_…` if the input has one of that name", async () => {
    const { run, results } = await startFile("phone;name;status\n6000000002;Ravi;new\n", ["--column", "phone"]);
    await run();
    expect(results().split("\n").slice(0, 2)).toEqual([
      "phone;name;status;looked_up;result_status;vpa;vpa_list;result_name;account_status;error",
      "6000000002;Ravi;new;6000000002;found;6000000002@demoupi;6000000002@demoupi;MR RAVI SAMPLE;VALID;",
    ]);
  });

  it("puts a ' before what a spreadsheet would run, unless told to keep it, and in CSV alone", async () => {
    const { emulator, url, file, run, results } = await startFile("mobile\n+91 6000000001\n");
    emulator.on("verification.findVpas", { name: '=HYPERLINK("http://x")', accountStatus: "+1" });
    await run();
    expect(results()).toMatch(/,"'=HYPERLINK\(""http:\/\/x""\)",'\+1,The account/m);
    await run("--overwrite", "--keep-formulas");
    expect(results()).toMatch(/,"=HYPERLINK\(""http:\/\/x""\)",\+1,The account/m);
    // A file with formulas is continued as well.
    const again = await run("--keep-formulas");
    expect([again.code, again.output]).toEqual([0, expect.stringContaining("1 from before")]);
    const { output } = await verify(["--file", file, "--json", "--show-pii", ...fast], url);
    expect(JSON.parse(output)).toMatchObject({
      ...{ looked_up: "+91 6000000001", name: '=HYPERLINK("http://x")', account_status: "+1" },
    });
  });

  it("has nothing to do for a file that is complete, and refuses one of another input", async () => {
    const { emulator, url, out, run } = await startFile();
    await run();
    const asked = emulator.requests.length;
    expect(await run()).toMatchObject({
      code: 0,
      output: expect.stringMatching(/\d+ of \d+ rows in .* \(\d+ from before\)/),
    });
    expect(emulator.requests).toHaveLength(asked);
    const other = temporaryFile("people.csv", people.replace("Pune", "Surat"));
    expect(await verify(["--file", other, "--out", out, ...fast], url)).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/its line 2 differs from the input.*--overwrite/),
    });
  });

  it("exits with code 1 for numbers that the service is still looking up", async () => {
    const { emulator, url } = await startEmulator();
    const file = temporaryFile("people.csv", "mobile\n6000000001\n");
    const args = ["--file", file, ...fast, "--json"];
    emulator.on("verification.findVpas", "failed-pending");
    const { code, output, errors } = await verify(args, url);
    expect([code, JSON.parse(output).status]).toEqual([1, "pending"]);
    expect(errors).toMatch(/^1 row is pending or failed\. With --out, --retry looks up these alone\.$/m);
  });

  it("counts pending and failed rows together as those to look up again", async () => {
    const { emulator, run } = await startFile("mobile\n6000000001\n6000000002\n");
    emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) =>
      mobile === "6000000001"
        ? Response.json({ status: "failed", statusCode: "500", message: "Internal error" }, { status: 500 })
        : Response.json({ status: "pending", statusCode: "102", message: "Request is being processed" }),
    );
    const { code, errors } = await run();
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(/^2 rows are pending or failed\. Run .* --retry to look them up again\.$/m),
    ]);
  });

  it("counts the rows of earlier runs in its summary and its exit code", async () => {
    const { emulator, out, run, results } = await startFile(people, ["--concurrency", "1", "--json"]);
    emulator.on("verification.findVpas", "failed-pending", { times: 1 });
    expect((await run()).code).toBe(1);
    const [header, first] = results().split("\n");
    writeFileSync(out, `${header}\n${first}\n`);
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(JSON.parse(output)).toEqual({
      ...{ rows: 4, done: 4, before: 1, retried: 0 },
      ...{ found: 1, notFound: 1, pending: 1, invalid: 1, failed: 0, toCheck: 0 },
    });
  });

  it("explains a row that failed in plain words, with those of the service", async () => {
    const { emulator, url } = await startEmulator();
    emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) => {
      if (mobile === "6000000003") return undefined;
      const message = mobile === "6000000001" ? "Internal error." : "Number is not allowed";
      const status = mobile === "6000000001" ? 500 : 400;
      return Response.json({ status: "failed", statusCode: String(status), message }, { status });
    });
    const file = temporaryFile("people.csv", 'mobile\n6000000001\n6000000002\n" "\n6E+09\n6000000003\n');
    const { code, output } = await verify(["--file", file, ...fast, "--json"], url);
    expect(code).toBe(1);
    const rows = output.trim().split("\n");
    expect(rows.map((line) => [JSON.parse(line).status, JSON.parse(line).error])).toEqual([
      ["failed", 'The service was not available: "Internal error". Look it up again later.'],
      ["invalid", 'The service refused this number: "Number is not allowed".'],
      ["invalid", "There is no number in this row."],
      ["invalid", expect.stringMatching(/^A spreadsheet has shortened this number\. Format the column as text/)],
      ["found", "The account is DORMANT, not VALID: not usable for payments."],
    ]);
  });

  it("says what is wrong with a first line for a spreadsheet", async () => {
    const file = temporaryFile("people.csv", "sep=;\nmobile;name\n6000000001;Asha\n");
    expect(await verify(["--file", file, ...fast])).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/the file has no column "mobile"\. It has: "sep="/),
    });
  });

  it("stops if the service is out of reach, and says so", async () => {
    const { args, rows } = await startFile(csvOf(numbersUpTo(40)));
    const { code, errors } = await verify(args, deadAddress);
    expect([code, errors]).toEqual([
      6,
      expect.stringMatching(
        /^(?:\d+ of 40 rows, .*\n)?error: verification\.findVpas: no connection to .*\nThe rows so far are kept\. .*--retry to continue: \d\d of them are pending or failed\.\n$/,
      ),
    ]);
    expect(rows().length).toBeLessThan(39);
  });

  it("does not count duplicates of a number that fails as failures of the service", async () => {
    const { emulator, run } = await startFile(`mobile\n${"6000000001\n".repeat(15)}6000000002\n`);
    emulator.on("verification.findVpas", ({ vpa_mobile: mobile }) =>
      mobile === "6000000001"
        ? Response.json({ status: "failed", statusCode: "500", message: "Internal error" }, { status: 500 })
        : undefined,
    );
    expect(await run()).toMatchObject({
      ...{ code: 1, output: "16 of 16 rows in result.csv: 1 found, 15 failed\n" },
    });
  });

  it("keeps what was received after a row that failed: no number is asked for again", async () => {
    const { emulator, run, rows } = await startFile(csvOf(numbersUpTo(20)), ["--concurrency", "20"]);
    const others = gate();
    const first = "6000000000";
    emulator.on("verification.findVpas", async ({ vpa_mobile: mobile }) => {
      if (emulator.requests.length === 20) others.open();
      if (mobile !== first) return undefined;
      await others.opened;
      return Response.json({ status: "failed", statusCode: "402", message: "Insufficient balance" }, { status: 402 });
    });
    expect((await run()).code).toBe(3);
    expect(rows().filter((row) => row.includes(",found,"))).toHaveLength(19);
    expect(rows()[0]).toMatch(/^6000000000,6000000000,failed,/);
    expect((await run()).output).toMatch(/^20 of 20 rows in result\.csv \(20 from before\)/);
    expect(emulator.requests).toHaveLength(20);
  });

  it("refused credentials exit with code 3 and leave a file that continues", async () => {
    const { emulator, out, run, rows } = await startFile();
    // Several are under way: the first is refused, and the others get their responses.
    emulator.on("*", "authentication", { times: 1 });
    const refused = await run();
    expect([refused.code, refused.errors]).toEqual([
      3,
      expect.stringMatching(/Run the same command again with --retry to continue: 1 of them is pending or failed\./),
    ]);
    expect(await run()).toMatchObject({ code: 1, errors: expect.stringMatching(/again with --retry/) });
    expect(emulator.requests).toHaveLength(3);
    expect(await run("--retry")).toMatchObject({
      ...{
        code: 0,
        errors: expect.stringMatching(/^1 row is invalid: .* Correct them in the input, and .* with --retry\.\n$/),
      },
      output: "4 of 4 rows in result.csv (3 from before, 1 retried): 2 found, 1 notFound, 1 invalid\n",
    });
    expect(emulator.requests).toHaveLength(4);
    expect(rows().map((row) => row.split(",")[1])).toEqual(["6000000001", "6000000404", "12", "60000 00002"]);
    expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
  });

  it("sends nothing for a file whose form is wrong", async () => {
    const { emulator, out, run } = await startFile("mobile,city\n6000000001,Pune\n6000000002,Puri,\n");
    expect(await run()).toMatchObject({ code: 2 });
    expect([emulator.requests.length, existsSync(out)]).toEqual([0, false]);
  });

  it.skipIf(process.platform !== "linux")("shows rate and time left on a line of a terminal", async () => {
    const { env, out, args, results } = await startFile();
    const line = /\r4 of 4 rows, \d+\.\d\/s, 0 s left, 2 found, 1 notFound, 1 invalid\S*\r\n/;
    const terminal = openTerminal(["verify", ...args], { env, columns: 120 });
    expect(await terminal.exit).toBe(0);
    expect(terminal.output()).toMatch(line);
    // The rows of an earlier run count, and one that is replaced counts one time.
    const rows = results().replace(/^4.*\n/m, "");
    writeFileSync(out, rows.replace(/^1,(.*?),found,.*$/m, "1,$1,failed,,,,,x"));
    const again = openTerminal(["verify", ...args, "--retry"], { env, columns: 120 });
    expect(await again.exit).toBe(0);
    expect(again.output()).toMatch(line);
  });

  it.skipIf(process.platform !== "linux")(
    "that line counts responses that wait for a slow one before them",
    async () => {
      const { emulator, env, args, rows } = await startFile(csvOf([1, 2, 3, 4, 5].map((n) => `600000000${n}`)));
      const slow = gate();
      emulator.on("verification.findVpas", async ({ vpa_mobile: mobile }) => {
        if (mobile === "6000000001") await slow.opened;
        return undefined;
      });
      const terminal = openTerminal(["verify", ...args], { env, columns: 120 });
      await terminal.until(/4 of 5 rows, .*, 4 found/);
      expect(rows()).toEqual([]);
      slow.open();
      await terminal.until(/5 of 5 rows, .*, 5 found/);
      expect(await terminal.exit).toBe(0);
    },
  );
});
