import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { describe, expect, it } from "vitest";
import { mobileOf } from "../../../src/cli/verify/mobile-cell.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { fast, startEmulator, verify } from "./command.ts";

const csv = 'id,mobile,note\n1,6000000001,"a ""b"", c"\n2,12,x\n3,6000000002,\n';
const rowsOf = (out: string) => readFileSync(out, "utf8").trim().split("\n").slice(1);

/** Makes a file of results, and returns the command that continues it. */
async function startWithResults(content = csv) {
  const { emulator, url } = await startEmulator();
  const out = temporaryFile("result.csv");
  const file = temporaryFile("people.csv", content);
  const args = ["--file", file, "--out", out, ...fast];
  await verify(args, url);
  const sent = emulator.requests.length;
  const asked = () => emulator.requests.slice(sent).map(({ body }) => Object(body).vpa_mobile);
  return { emulator, url, out, file, args, asked, whole: readFileSync(out, "utf8") };
}

it("a row that was cut off, and that a spreadsheet has filled up, has failed: --retry looks it up again", async () => {
  const { out, args, asked, url, whole } = await startWithResults("mobile\n6000000001\n6000000002\n");
  const [header, first, second = ""] = whole.split("\n");
  const [number, lookedUp, status, vpa = ""] = second.split(",");
  const cut = [number, lookedUp, status, vpa.slice(0, -4), "", "", "", ""].join(",");
  writeFileSync(out, `${header}\n${first}\n${cut}\n`);
  expect(await verify(args, url)).toMatchObject({ code: 1, output: expect.stringContaining("1 found, 1 failed") });
  expect(await verify([...args, "--retry"], url)).toMatchObject({ code: 0 });
  expect([readFileSync(out, "utf8"), asked()]).toEqual([whole, ["6000000002"]]);
});

describe("a row that was corrected in the input", () => {
  it.each([
    ["invalid", "12"],
    ["notFound", "6000000404"],
  ])(
    "and is %s is looked up again and replaced with --retry; the others keep their results",
    async (status, number) => {
      const before = csv.replace("12", number);
      const { url, out, file, args, asked, whole } = await startWithResults(before);
      writeFileSync(file, before.replace(`2,${number},x`, "2,6000000003,corrected"));
      const refused = await verify(args, url);
      expect([refused.code, refused.errors]).toEqual([
        2,
        expect.stringMatching(new RegExp(`line 3 of .* is ${status}.*Pass --retry`)),
      ]);
      expect([readFileSync(out, "utf8"), asked()]).toEqual([whole, []]);
      expect(await verify([...args, "--retry"], url)).toMatchObject({
        ...{ code: 0, output: "3 of 3 rows in result.csv (2 from before, 1 retried): 3 found\n" },
      });
      expect(asked()).toEqual(["6000000003"]);
      const [first, second, third] = rowsOf(out);
      expect([first, third]).toEqual([whole.split("\n")[1], whole.split("\n")[3]]);
      expect(second).toMatch(/^2,6000000003,corrected,6000000003,found,/);
      expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
    },
  );

  it("is taken from a --retry that was killed, also without --retry", async () => {
    const { url, out, file, args, asked, whole } = await startWithResults();
    writeFileSync(file, csv.replace("2,12,x", "2,6000000003,corrected"));
    const lines = whole.split("\n");
    const replaced = `${lines[0]}\n${lines[1]}\n2,6000000003,corrected,6000000003,found,a@b,a@b,ASHA,VALID,\n`;
    writeFileSync(`${out}.retry`, replaced);
    expect(await verify(args, url)).toMatchObject({ code: 0 });
    expect([readFileSync(out, "utf8"), asked()]).toEqual([`${replaced}${lines[3]}\n`, []]);
  });

  it("does not let a row with a result change", async () => {
    const { url, out, file, args, whole } = await startWithResults();
    writeFileSync(file, csv.replace("3,6000000002", "3,6000000003"));
    const { code, errors } = await verify([...args, "--retry"], url);
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(
        /its line 4 differs from the input in "mobile"\. A row that is found must stay .* new file.* name another output/,
      ),
    ]);
    expect(readFileSync(out, "utf8")).toBe(whole);
  });
});

describe("results that a spreadsheet has saved again", () => {
  const quoted = (text: string) => stringify(parse(text), { bom: true, quoted: true, record_delimiter: "\r\n" });

  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
    ["CRLF, and no end of the last line", (text: string) => text.trimEnd().replaceAll("\n", "\r\n")],
    ["quotes around each cell", quoted],
  ])("with %s are continued: no number is asked for again", async (_, save) => {
    const { url, out, args, asked, whole } = await startWithResults();
    // The last row is missing.
    const lines = whole.trimEnd().split("\n");
    writeFileSync(out, save(`${lines.slice(0, 3).join("\n")}\n`));
    expect(await verify(args, url)).toMatchObject({
      ...{ code: 0, output: "3 of 3 rows in result.csv (2 from before): 2 found, 1 invalid\n" },
    });
    expect([asked(), readFileSync(out, "utf8"), readdirSync(dirname(out))]).toEqual([
      ["6000000002"],
      whole,
      ["result.csv"],
    ]);
  });

  it("are left as they are if they are complete, and are replaced with --retry", async () => {
    const { url, out, args, asked, whole } = await startWithResults();
    const saved = whole.replaceAll("\n", "\r\n");
    writeFileSync(out, saved);
    expect(await verify(args, url)).toMatchObject({ code: 0, output: expect.stringContaining("3 from before") });
    expect(readFileSync(out, "utf8")).toBe(saved);
    writeFileSync(out, saved.replace(/^3,(.*)$/m, "3,6000000002,,6000000002,failed,,,,,x\r"));
    expect(await verify([...args, "--retry"], url)).toMatchObject({ code: 0 });
    expect([asked(), readFileSync(out, "utf8")]).toEqual([["6000000002"], whole]);
  });

  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["no end of the last line", (text: string) => text.trimEnd().replaceAll("\n", "\r\n")],
  ])("with %s, of a --retry that was killed, take their place: no number is asked for again", async (_, save) => {
    const input = `id,mobile\n${[1, 2, 3, 4].map((id) => `${id},600000000${id}\n`).join("")}`;
    const { url, out, args, asked, whole } = await startWithResults(input);
    const [header, first, second, ...others] = whole.split("\n");
    writeFileSync(out, [header, first, "2,6000000002,6000000002,failed,,,,,x", ...others].join("\n"));
    writeFileSync(`${out}.retry`, save(`${[header, first, second].join("\n")}\n`));
    expect(await verify([...args, "--retry"], url)).toMatchObject({
      code: 0,
      output: expect.stringContaining("4 from"),
    });
    expect([asked(), readFileSync(out, "utf8"), readdirSync(dirname(out))]).toEqual([[], whole, ["result.csv"]]);
  });

  it.each([
    ["no .0 behind it", "6000000001.0", "6000000001"],
    ["no ' before it", "'6000000001", "6000000001"],
    ["the value of the formula around it", '="6000000001"', "6000000001"],
    ["no + before it", "+916000000001", "916000000001"],
    ["no 0 before it", "06000000001", "6000000001"],
    ["decimals behind it", "6000000001", "6000000001.00"],
  ])("with %s, where the number was %j, are continued", async (_, given, saved) => {
    const content = stringify([
      ["id", "mobile"],
      ["1", given],
      ["2", "6000000002"],
    ]);
    const { url, out, args, asked, whole } = await startWithResults(content);
    const [header, first = []] = parse(whole) as string[][];
    for (const cells of [
      ["1", saved, saved],
      ["1", saved, ...first.slice(2, 3)],
    ]) {
      writeFileSync(out, stringify([header, [...cells, ...first.slice(3)]]));
      const before = asked().length;
      expect(await verify(args, url)).toMatchObject({
        ...{ code: 0, output: "2 of 2 rows in result.csv (1 from before): 2 found\n" },
      });
      expect(asked().slice(before)).toEqual(["6000000002"]);
      expect(rowsOf(out)).toEqual([stringify([[...cells, ...first.slice(3)]]).trimEnd(), whole.split("\n")[2]]);
    }
  });

  it.each([
    [",,,,,,,,,\n,,\n", "\n"],
    ["\n ,\n", "\n"],
    [",,,,,,,,,\n\n", "\r\n"],
  ])("with blank rows at the end (%j) are continued without them", async (blank, lineEnd) => {
    const { url, out, args, asked, whole } = await startWithResults();
    writeFileSync(out, `${whole.split("\n").slice(0, 3).join("\n")}\n${blank}`.replaceAll("\n", lineEnd));
    expect(await verify(args, url)).toMatchObject({
      ...{ code: 0, output: "3 of 3 rows in result.csv (2 from before): 2 found, 1 invalid\n" },
    });
    expect([asked(), readFileSync(out, "utf8")]).toEqual([["6000000002"], whole]);
  });

  it.each([["9.16E+11"], ["9,16000E+11"]])("are continued if `looked_up` has in full what is now %s", async (shown) => {
    const { url, out, args, asked, whole } = await startWithResults("id,mobile\n1,+916000000001\n2,6000000002\n");
    const [header = [], first = []] = parse(whole) as string[][];
    writeFileSync(out, stringify([header, ["1", shown, ...first.slice(2)]]));
    expect(await verify(args, url)).toMatchObject({
      ...{ code: 0, output: "2 of 2 rows in result.csv (1 from before): 2 found\n" },
    });
    expect(asked()).toEqual(["6000000002"]);
    for (const [mobile, lookedUp] of [
      [shown, shown],
      [shown, "+916000000003"],
      ["9.17E+11", first[2]],
      ["9.16E+12", first[2]],
    ]) {
      const saved = stringify([header, ["1", mobile, lookedUp, ...first.slice(3)]]);
      writeFileSync(out, saved);
      expect(await verify(args, url)).toMatchObject({ code: 2 });
      expect(readFileSync(out, "utf8")).toBe(saved);
    }
  });

  it("are refused for another number, however it is spelt", async () => {
    const { url, out, args, whole } = await startWithResults();
    for (const number of ["6000000003", "6000000001.5", "60000000010", "0", ""]) {
      const saved = whole.replaceAll("6000000001,", `${number},`);
      writeFileSync(out, saved);
      const { code, errors } = await verify(args, url);
      expect([number, code, errors]).toEqual([
        number,
        2,
        expect.stringMatching(/line 2 differs from the input in "mobile"/),
      ]);
      expect(readFileSync(out, "utf8")).toBe(saved);
    }
  });

  it("with other values are refused, and no advice leads to a loss", async () => {
    const { url, out, args, whole } = await startWithResults();
    const saved = whole.replace("6000000001", "6E+09").replaceAll("\n", "\r\n");
    writeFileSync(out, saved);
    const { code, errors } = await verify(args, url);
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/its line 2 differs.* Nothing was changed\. Undo .* --overwrite drops the results\.$/m),
    ]);
    expect(readFileSync(out, "utf8")).toBe(saved);
  });
});

describe("a number that a spreadsheet has changed", () => {
  it.each([
    ["6000000002.0", "6000000002"],
    ["6000000002,00", "6000000002"],
    ["916000000002.0", "916000000002"],
    ["'6000000002", "6000000002"],
    ["'+91 60000 00002", "+91 60000 00002"],
    ['="6000000002"', "6000000002"],
    [" 6000000002\u00a0", "6000000002"],
    // These may be another number.
    ["6000000002.5", "6000000002.5"],
    ["600000000.0", "600000000.0"],
    ["6E+09", "6E+09"],
    ["", ""],
  ])("%j is %j", (cell, number) => {
    expect(mobileOf(cell)).toBe(number);
  });

  it("is looked up, and the result has it as the input does", async () => {
    const cells = ["6000000002.0", "'6000000002", '"=""6000000002"""', "6000000002\u00a0"];
    const { out, args, url, asked } = await startWithResults(`mobile\n${cells.join("\n")}\n`);
    expect(rowsOf(out).map((row) => row.split(/,found,/)[0])).toEqual([
      "6000000002.0,6000000002.0",
      "'6000000002,'6000000002",
      `"=""6000000002""","'=""6000000002"""`,
      "6000000002\u00a0,6000000002\u00a0",
    ]);
    expect(rowsOf(out).every((row) => row.includes(",found,6000000002@demoupi,"))).toBe(true);
    expect(await verify(args, url)).toMatchObject({ code: 0, output: expect.stringContaining("4 from before") });
    expect(asked()).toEqual([]);
  });
});
