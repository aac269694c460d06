import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { describe, expect, it } from "vitest";
import { startFile } from "./command.ts";

const csv = 'id,mobile,note\n1,6000000001,"a ""b"", c"\n2,12,x\n3,6000000002,\n';

/** Makes a file of results, and returns the command that continues it. */
async function startWithResults(content = csv) {
  const started = await startFile(content);
  await started.run();
  const { requests } = started.emulator;
  const sent = requests.length;
  const asked = () => requests.slice(sent).map(({ body }) => Object(body).vpa_mobile);
  return { ...started, asked, whole: started.results() };
}

it("a row that was cut off, and that somebody has filled up, is refused and left as it is", async () => {
  const { out, run, results, asked, whole } = await startWithResults("mobile\n6000000001\n6000000002\n");
  const [header, first, second = ""] = whole.split("\n");
  const [number, lookedUp, status, vpa = ""] = second.split(",");
  const cut = [number, lookedUp, status, vpa.slice(0, -4), "", "", "", ""].join(",");
  writeFileSync(out, `${header}\n${first}\n${cut}\n`);
  const { code, errors } = await run("--retry");
  expect([code, errors]).toEqual([2, expect.stringContaining("its line 3 is not as this command writes it")]);
  expect([results(), asked()]).toEqual([`${header}\n${first}\n${cut}\n`, []]);
});

describe("a row that was corrected in the input", () => {
  it.each([
    ["invalid", "12"],
    ["notFound", "6000000404"],
  ])(
    "and is %s is looked up again and replaced with --retry; the others keep their results",
    async (status, number) => {
      const before = csv.replace("12", number);
      const { run, out, file, rows, results, asked, whole } = await startWithResults(before);
      writeFileSync(file, before.replace(`2,${number},x`, "2,6000000003,corrected"));
      const refused = await run();
      expect([refused.code, refused.errors]).toEqual([
        2,
        expect.stringMatching(new RegExp(`line 3 of .* is ${status}.*Pass --retry`)),
      ]);
      expect([results(), asked()]).toEqual([whole, []]);
      expect(await run("--retry")).toMatchObject({
        ...{ code: 0, output: "3 of 3 rows in result.csv (2 from before, 1 retried): 3 found\n" },
      });
      expect(asked()).toEqual(["6000000003"]);
      const [first, second, third] = rows();
      expect([first, third]).toEqual([whole.split("\n")[1], whole.split("\n")[3]]);
      expect(second).toMatch(/^2,6000000003,corrected,6000000003,found,/);
      expect(readdirSync(dirname(out))).toEqual(["result.csv"]);
    },
  );

  it("is taken from a --retry that was killed, also without --retry", async () => {
    const { run, out, file, results, asked, whole } = await startWithResults();
    writeFileSync(file, csv.replace("2,12,x", "2,6000000003,corrected"));
    const lines = whole.split("\n");
    const replaced = `${lines[0]}\n${lines[1]}\n2,6000000003,corrected,6000000003,found,a@b,a@b,ASHA,VALID,\n`;
    writeFileSync(`${out}.retry`, replaced);
    expect(await run()).toMatchObject({ code: 0 });
    expect([results(), asked()]).toEqual([`${replaced}${lines[3]}\n`, []]);
  });

  it("does not let a row with a result change", async () => {
    const { run, file, results, whole } = await startWithResults();
    writeFileSync(file, csv.replace("3,6000000002", "3,6000000003"));
    const { code, errors } = await run("--retry");
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(
        /its line 4 differs from the input in "mobile", and a row that is found must stay\..* name another output/,
      ),
    ]);
    expect(results()).toBe(whole);
  });
});

describe("results that a spreadsheet has saved again", () => {
  const quoted = (text: string) => stringify(parse(text), { bom: true, quoted: true, record_delimiter: "\r\n" });

  it.each([
    ["another delimiter", (text: string) => text.replaceAll(",", ";").replaceAll('"', ""), /its header is not the one/],
    ["a blank row at the end", (text: string) => `${text},,,,,,,,,\n`, /its line 4 is not as this command writes it/],
    ["the number in another way", (text: string) => text.replace("6000000001", "6000000001.0"), /its line 2 differs/],
    ["digits dropped", (text: string) => text.replace("6000000001", "6E+09"), /its line 2 differs .* in "mobile"/],
    [
      "another number",
      (text: string) => text.replaceAll("6000000001,", "6000000003,"),
      /its line 2 differs .* in "mobile"/,
    ],
    ["no number", (text: string) => text.replaceAll("6000000001,", ","), /its line 2 differs .* in "mobile"/],
  ])("with %s are refused and left as they are, and nothing is sent", async (_, save, reason) => {
    const { run, out, results, asked, whole } = await startWithResults();
    // The last row is missing.
    const saved = save(`${whole.split("\n").slice(0, 3).join("\n")}\n`);
    for (const more of [[], ["--retry"]]) {
      writeFileSync(out, saved);
      const { code, errors } = await run(...more);
      expect([code, errors]).toEqual([2, expect.stringMatching(reason)]);
      expect(errors).toMatch(/Nothing was changed\. Undo .* --overwrite drops the results\.$/m);
      expect([results(), asked(), readdirSync(dirname(out))]).toEqual([saved, [], ["result.csv"]]);
    }
  });

  it.each([
    ["CRLF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["a byte order mark, CRLF and quotes around each cell", quoted],
  ])("with %s have the same rows, and are continued", async (_, save) => {
    const { run, out, asked, whole } = await startWithResults();
    writeFileSync(out, save(`${whole.split("\n").slice(0, 3).join("\n")}\n`));
    expect(await run()).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^3 of 3 .*2 from before/),
    });
    expect([asked(), parse(readFileSync(out), { bom: true, record_delimiter: ["\r\n", "\n"] })]).toEqual([
      ["6000000002"],
      parse(whole),
    ]);
  });
});
