import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { verify } from "./command.ts";

const csv = "id,mobile,agreed\n1,6000000001,Y\n2,6000000002,N\n3,6000000003,\n4,12,no\n";
const fast = ["--per-second", "1000"];

it("a row without consent in its column is not looked up, until it is corrected", async () => {
  const { emulator, url } = await startEmulator();
  const file = temporaryFile("people.csv", csv);
  const out = join(dirname(file), "result.csv");
  const args = ["--file", file, "--out", out, "--consent-column", "agreed", ...fast];
  const asked = () => emulator.requests.map(({ body }) => (body as { vpa_mobile: string }).vpa_mobile);
  expect(await verify(args, url)).toMatchObject({ code: 0, output: expect.stringContaining("1 found, 3 invalid") });
  expect(asked()).toEqual(["6000000001"]);
  const said = "There is no consent (Y) in this row. It was not looked up.";
  expect(readFileSync(out, "utf8").split(said)).toHaveLength(4);

  writeFileSync(file, csv.replace("6000000002,N", "6000000002, Y"));
  expect(await verify([...args, "--retry"], url)).toMatchObject({ code: 0 });
  expect(asked()).toEqual(["6000000001", "6000000002"]);
});

it.each([
  [["--file", "people.csv", ...fast], "Pass --consent Y if the account holders have agreed"],
  [["6000000001"], "Pass --consent Y if the account holders have agreed"],
  [["6000000001", "--consent-column", "agreed"], "--consent-column has no effect without --file"],
  [
    ["--file", "people.csv", "--consent-column", "agreed", "--consent", "Y"],
    "--consent has no effect with --consent-column",
  ],
])("%j is refused, and nothing is sent: %s", async (args, message) => {
  const { emulator, url } = await startEmulator();
  const { code, errors } = await verify(args, url);
  expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  expect(emulator.requests).toEqual([]);
});

it("a column that the file has not is named with its flag", async () => {
  const args = ["--file", temporaryFile("people.csv", csv), "--consent-column", "agreeed"];
  expect(await verify(args)).toMatchObject({
    code: 2,
    errors: expect.stringContaining('--consent-column: the file has no column "agreeed". Did you mean "agreed"?'),
  });
});
