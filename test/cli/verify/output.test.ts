import { readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openInput, rowsOf } from "../../../src/cli/verify/input.ts";
import { openOutput } from "../../../src/cli/verify/output.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { errorOf } from "../../support/client.ts";
import { temporaryFile } from "./command.ts";

const people = '\uFEFFmobile;"full ""name"""\n6000000001;"Asha\n""A"""\n6000000002;x\n\n6000000003\n6000000004;é\n';
const valuesOf = (number: string) => [number, "found", "a@b", "a@b c@d", 'RAVI "R"\nSAMPLE', "VALID", ""];

/** Writes what is missing of the results, as the command does, and returns how much was there. */
async function complete(file: string, out: string, overwrite = false): Promise<number> {
  const input = await openInput(file);
  const output = await openOutput(out, input, overwrite);
  const done = Object.values(output.before).reduce((sum, count) => sum + count);
  let index = 0;
  for await (const row of rowsOf(input)) if (index++ >= done) await output.append([...row, ...valuesOf(row[0] ?? "")]);
  await output.close();
  return done;
}

describe("the file of the results", () => {
  it("is continued wherever it was cut off: at each byte of it", async () => {
    const file = temporaryFile("people.csv", people);
    const out = temporaryFile("result.csv");
    await complete(file, out);
    const whole = readFileSync(out);
    expect(whole.toString().startsWith("\uFEFFmobile;")).toBe(true);
    const dones = new Set<number>();
    for (let length = 0; length <= whole.length; length++) {
      writeFileSync(out, whole.subarray(0, length));
      dones.add(await complete(file, out));
      expect(readFileSync(out).equals(whole), `cut off after ${length} bytes`).toBe(true);
    }
    expect([...dones]).toEqual([0, 1, 2, 3, 4]);
  });

  it.skipIf(process.platform === "win32")(
    "is readable for its owner alone, also when it replaces another",
    async () => {
      const file = temporaryFile("people.csv", people);
      const out = temporaryFile("result.csv");
      await complete(file, out);
      expect(statSync(out).mode & 0o777).toBe(0o600);
      const other = temporaryFile("other.csv", "something else\n");
      await complete(file, other, true);
      expect([statSync(other).mode & 0o777, readFileSync(other)]).toEqual([0o600, readFileSync(out)]);
    },
  );

  it.each([
    ["another file", "hello", /header/],
    ["another header", "mobile;name;status\n", /header/],
    ["a row of another input", (whole: string) => whole.replace("6000000002", "6000000009"), /row 2/],
    ["more rows", (whole: string) => `${whole}6000000005;y;6\n`, /more rows|not valid/],
    [
      "a row of another column",
      (whole: string) => whole.replace(";x;6000000002;", ";x;6000000009;"),
      /another --column/,
    ],
    ["a row without results", (whole: string) => whole.replace(";x;6000000002;found;a@b", ";x"), /row 2/],
  ] as const)("is refused and left as it is if it is %s", async (_, given, reason) => {
    const file = temporaryFile("people.csv", people);
    const out = temporaryFile("result.csv");
    await complete(file, out);
    const content = typeof given === "string" ? given : given(readFileSync(out, "utf8"));
    writeFileSync(out, content);
    const { message } = await errorOf(complete(file, out), ConfigurationError);
    expect(message).toMatch(/does not belong to this file: .*--overwrite/);
    expect(message).toMatch(reason);
    expect(readFileSync(out, "utf8")).toBe(content);
  });

  it("is not the input, and is in a folder that exists", async () => {
    const file = temporaryFile("people.csv", people);
    expect((await errorOf(complete(file, file, true), ConfigurationError)).message).toMatch(/another file than/);
    expect(readFileSync(file, "utf8")).toBe(people);
    const missing = `${temporaryFile("none")}/result.csv`;
    expect((await errorOf(complete(file, missing), ConfigurationError)).message).toMatch(/ENOENT/);
  });
});

describe("the input", () => {
  const open = (content: string | Uint8Array, column?: string, delimiter?: string) =>
    openInput(temporaryFile("people.csv", content), column, delimiter);

  it.each([
    [",", "id,mobile\n1,2\n"],
    [";", '"a,b,c";mobile\n1;2\n'],
    ["\t", "id\tmobile\n1\t2\n"],
    ["|", "id|mobile\n1|2\n"],
    [",", "mobile\n2\n"],
  ])("finds the delimiter %j", async (delimiter, content) => {
    expect(await open(content)).toMatchObject({ delimiter, count: 1 });
  });

  it.each([
    ["", /empty/],
    ["number\n1\n", /no column "mobile".*It has: "number"/],
    ["Mobile\n1\n", /Did you mean "Mobile"/],
    ["mobile,mobile\n1,2\n", /several columns "mobile"/],
    ["mobile,a\n1,2\n1,2,3\n", /line 3 has more fields/],
    ['mobile\n"1\n2\n', /not valid CSV/],
    [new Uint8Array([...Buffer.from("mobile,name\n1,"), 0xe9, 0x0a]), /not UTF-8/],
    [Buffer.from("\uFEFFmobile\n1\n", "utf16le"), /not UTF-8|no column/],
  ])("refuses %j before anything is sent, without quoting a row", async (content, message) => {
    const error = await errorOf(open(content), ConfigurationError);
    expect(error.message).toMatch(message);
  });

  it("says that a file does not exist", async () => {
    expect((await errorOf(openInput("/no/such/file.csv"), ConfigurationError)).message).toMatch(/does not exist/);
  });
});
