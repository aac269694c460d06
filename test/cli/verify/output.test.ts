import { execFileSync } from "node:child_process";
import fs, {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { OutputError } from "../../../src/cli/shared/errors.ts";
import { openInput } from "../../../src/cli/verify/csv.ts";
import { openOutput } from "../../../src/cli/verify/output.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { errorOf } from "../../support/client.ts";
import { temporaryFile } from "../../support/temporary-file.ts";

const people = '\uFEFFmobile;"full ""name"""\n6000000001;"Asha\n""A"""\n6000000002;x\n\n6000000003\n6000000004;é\n';
const valuesOf = (number: string) => [number, "found", "a@b", "a@b c@d", 'RAVI "R"\nSAMPLE', "VALID", ""];

const files = (content = people) => ({ file: temporaryFile("people.csv", content), out: temporaryFile("result.csv") });

const settled = async (call: () => unknown) => call();

/** Writes what is missing of the results, as the command does, and returns how much was there. */
async function complete(file: string, out: string, overwrite = false): Promise<number> {
  const input = openInput(file);
  const output = openOutput(out, input, { overwrite });
  for (const [index, row] of input.rows.entries()) {
    if (index >= output.results.length) output.write(index, [...row, ...valuesOf(row[0] ?? "")]);
  }
  output.close();
  return output.results.length;
}

describe("the file of the results", () => {
  it("is continued wherever it was cut off, at each byte of it, or is left as it is within a row of several lines", async () => {
    const { file, out } = files();
    await complete(file, out);
    const whole = readFileSync(out);
    expect(whole.toString().startsWith("\uFEFFmobile;")).toBe(true);
    const dones = new Set<number | string>();
    for (let length = 0; length <= whole.length; length++) {
      const cut = whole.subarray(0, length);
      writeFileSync(out, cut);
      const done = await complete(file, out).catch((error: Error) => error.message.replace(out, "out"));
      dones.add(done);
      const expected = typeof done === "string" ? cut : whole;
      expect(readFileSync(out).equals(expected), `cut off after ${length} bytes`).toBe(true);
    }
    expect([...dones].toSorted()).toEqual([
      0,
      1,
      2,
      3,
      4,
      expect.stringMatching(/^out: the last field does not end\./),
    ]);
  });

  it("stays as it is if a quote that somebody has added takes in all rows behind it", async () => {
    const { file, out } = files("mobile\n6000000001\n6000000002\n6000000003\n");
    const input = openInput(file);
    const first = openOutput(out, input);
    for (const [index, mobile] of ["6000000001", "6000000002", "6000000003"].entries()) {
      first.write(index, [mobile, mobile, "notFound", "", "", "", "", ""]);
    }
    first.close();
    const changed = readFileSync(out, "utf8").replace("6000000001,6", '6000000001,"6');
    writeFileSync(out, changed);
    expect(() => openOutput(out, input)).toThrow(ConfigurationError);
    expect(readFileSync(out, "utf8")).toBe(changed);
  });

  it.each([
    ["in a result", '"RAVI ""R""', '"RAVI ""R"'],
    ["in front of a result", ";a@b;", ';"a@b;'],
    ["in a field of the input", ";x;6", ';"x;6'],
    ["within a field of the input", ";x;6", ';x";6'],
  ])("loses no row to a quote that somebody has added or removed %s", async (_, quoted, changed) => {
    const { file, out } = files();
    await complete(file, out);
    const edited = readFileSync(out, "utf8").replace(quoted, changed);
    writeFileSync(out, edited);
    const { message } = await errorOf(complete(file, out), ConfigurationError);
    expect(message).toMatch(/is not as this command writes it|has a quote|A quote is missing|differs from the input/);
    expect(readFileSync(out, "utf8")).toBe(edited);
  });

  it.skipIf(process.platform === "win32")(
    "is readable for its owner alone, also when it replaces another",
    async () => {
      const { file, out } = files();
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
    [
      "a row of another input",
      (whole: string) => whole.replace("6000000002", "6000000009"),
      /line 6 differs from the input/,
    ],
    ["more rows", (whole: string) => `${whole}6000000005;y;6\n`, /more rows|not valid/],
    [
      "a row of another column",
      (whole: string) => whole.replace(";x;6000000002;", ";x;6000000009;"),
      /another --column/,
    ],
    [
      "a row without results",
      (whole: string) => whole.replace(";x;6000000002;found;a@b", ";x"),
      /line 6 is not as this command writes it/,
    ],
  ] as const)("is refused and left as it is if it is %s", async (_, given, reason) => {
    const { file, out } = files();
    await complete(file, out);
    const content = typeof given === "string" ? given : given(readFileSync(out, "utf8"));
    writeFileSync(out, content);
    const { message } = await errorOf(complete(file, out), ConfigurationError);
    expect(message).toMatch(/does not belong to this file: .*--overwrite/);
    expect(message).toMatch(reason);
    expect(readFileSync(out, "utf8")).toBe(content);
  });

  it.skipIf(process.platform === "win32")("is for its owner alone as well if it is continued", async () => {
    const { file, out } = files();
    writeFileSync(out, "", { mode: 0o644 });
    await complete(file, out);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["written", (out: string) => appendFileSync(out, "6000000002;x\n")],
    ["moved", (out: string) => renameSync(out, `${out}.moved`)],
    ["replaced", (out: string) => [renameSync(out, `${out}.moved`), writeFileSync(out, readFileSync(`${out}.moved`))]],
  ] as const)("gets no further row if it was %s by another program", async (_, change) => {
    const input = openInput(temporaryFile("people.csv", people));
    const out = temporaryFile("result.csv");
    const output = openOutput(out, input);
    const row = ["6000000001", "x", ...valuesOf("6000000001")];
    output.write(0, row);
    change(out);
    const contents = () => [out, `${out}.moved`].map((file) => existsSync(file) && readFileSync(file, "utf8"));
    const before = contents();
    const { message } = await errorOf(
      settled(() => output.write(1, row)),
      OutputError,
    );
    expect(message).toMatch(/changed or moved by another program\. Nothing more was written/);
    expect(contents()).toEqual(before);
    output.close();
  });

  it("is begun again with `overwrite`", async () => {
    const { file, out } = files();
    await complete(file, out);
    const whole = readFileSync(out);
    expect(await complete(file, out, true)).toBe(0);
    expect(readFileSync(out)).toEqual(whole);
  });

  it("is not the input, and is in a folder that exists", async () => {
    const file = temporaryFile("people.csv", people);
    expect((await errorOf(complete(file, file, true), ConfigurationError)).message).toMatch(/another file than/);
    expect(readFileSync(file, "utf8")).toBe(people);
    const missing = `${temporaryFile("none")}/result.csv`;
    expect((await errorOf(complete(file, missing), ConfigurationError)).message).toMatch(
      /could not be opened: no such file or directory \(ENOENT\)/,
    );
    const below = `${file}/result.csv`;
    expect((await errorOf(complete(file, below), ConfigurationError)).message).toMatch(/not a directory \(ENOTDIR\)/);
  });

  it.skipIf(process.platform === "win32").each([
    ["a symbolic link", symlinkSync, /is a link/],
    ["a hard link to the input", linkSync, /another file than/],
    ["a named pipe", (_: string, out: string) => execFileSync("mkfifo", [out]), /is a link, a folder or a device/],
    ["a folder", (_: string, out: string) => mkdirSync(out), /is a link, a folder or a device/],
  ] as const)("is not %s", async (_, make, message) => {
    const { file, out } = files();
    make(file, out);
    const before = statSync(out);
    for (const overwrite of [false, true]) {
      expect((await errorOf(complete(file, out, overwrite), ConfigurationError)).message).toMatch(message);
    }
    expect(readFileSync(file, "utf8")).toBe(people);
    expect([statSync(out).mode, statSync(out).size]).toEqual([before.mode, before.size]);
  });
});

describe("the file of the results with `retry`", () => {
  const failedOf = (number: string) => [number, "failed", "", "", "", "", "x"];

  /** Writes results whose second and third row failed. */
  async function startFailed() {
    const { file, out } = files();
    const input = openInput(file);
    const output = openOutput(out, input);
    for (const [index, row] of input.rows.entries()) {
      const cells = index === 1 || index === 2 ? failedOf(row[0] ?? "") : valuesOf(row[0] ?? "");
      output.write(index, [...row, ...cells]);
    }
    output.close();
    return { file, out, input, failed: readFileSync(out) };
  }

  /** Replaces what failed, as the command does, and returns how many rows that were. */
  async function retryAll(file: string, out: string): Promise<number> {
    const input = openInput(file);
    const output = openOutput(out, input, { retry: true });
    const { size } = output.again;
    for (const [index, row] of input.rows.entries()) {
      if (output.again.has(index)) output.write(index, [...row, ...valuesOf(row[0] ?? "")]);
    }
    output.close();
    return size;
  }

  it("has the rows of a replacement that was killed, wherever that was cut off", async () => {
    const { file, out, failed } = await startFailed();
    await retryAll(file, out);
    const whole = readFileSync(out);
    const left = new Set<number>();
    for (let length = 0; length <= whole.length; length += length % 2 === 0 ? 3 : 8) {
      writeFileSync(out, failed);
      writeFileSync(`${out}.retry`, whole.subarray(0, length));
      // Without `retry`, only the rows that were written are new.
      const done = await complete(file, out).catch(({ message }: Error) => message);
      if (typeof done === "string") {
        expect(done).toMatch(/\.retry: the last field does not end/);
        expect(readFileSync(out)).toEqual(failed);
        continue;
      }
      expect(done).toBe(4);
      left.add(readFileSync(out, "utf8").split(";failed;").length - 1);
      await retryAll(file, out);
      expect(readFileSync(out).equals(whole), `cut off after ${length} bytes`).toBe(true);
      expect(existsSync(`${out}.retry`)).toBe(false);
    }
    expect([...left]).toEqual([2, 1, 0]);
  });

  it("is replaced once the rows of its replacement are on the disk, which a power failure would lose", async () => {
    const { file, out } = await startFailed();
    const isReplaced: boolean[] = [];
    const flush = fs.fdatasyncSync;
    const flushed = vi.spyOn(fs, "fdatasyncSync").mockImplementation((descriptor) => {
      isReplaced.push(!existsSync(`${out}.retry`));
      return flush(descriptor);
    });
    onTestFinished(() => flushed.mockRestore());
    await retryAll(file, out);
    expect(isReplaced).toContain(false);
    expect(isReplaced).not.toContain(true);
  });

  it("is left as it is if it is changed meanwhile, with the new rows beside it", async () => {
    const { out, input, failed } = await startFailed();
    const output = openOutput(out, input, { retry: true });
    output.write(1, ["6000000002", "x", ...valuesOf("6000000002")]);
    appendFileSync(out, "\n");
    const { message } = await errorOf(settled(output.close), OutputError);
    expect(message).toMatch(/changed or moved by another program/);
    expect(readFileSync(out, "utf8")).toBe(`${failed}\n`);
    expect(readFileSync(`${out}.retry`, "utf8")).toContain("x;6000000002;found");
    expect(existsSync(`${out}.lock`)).toBe(false);
  });

  it("has the rows of a replacement alone as well, unless `overwrite` begins again, which leaves it as it is", async () => {
    const { file, out, failed } = await startFailed();
    renameSync(out, `${out}.retry`);
    const { message } = await errorOf(complete(file, out, true), ConfigurationError);
    expect(message).toMatch(/result\.csv\.retry has rows of a --retry that was interrupted\. Move it away\.$/);
    expect(readFileSync(`${out}.retry`)).toEqual(failed);
    expect(await complete(file, out)).toBe(4);
    expect([readFileSync(out), existsSync(`${out}.retry`)]).toEqual([failed, false]);
  });

  it.each([false, true])("does not remove the input that has the name (overwrite: %j)", async (overwrite) => {
    const { out, failed } = await startFailed();
    writeFileSync(`${out}.retry`, failed);
    const input = openInput(`${out}.retry`);
    const { message } = await errorOf(
      settled(() => openOutput(out, input, { overwrite })),
      ConfigurationError,
    );
    expect(message).toMatch(/must be another file than --file/);
    expect(readFileSync(`${out}.retry`)).toEqual(failed);
  });

  it.skipIf(process.platform === "win32").each(["retry", "lock"])("does not wait for a pipe at .%s", async (name) => {
    const { file, out } = await startFailed();
    execFileSync("mkfifo", [`${out}.${name}`]);
    for (const overwrite of [false, true]) {
      const { message } = await errorOf(complete(file, out, overwrite), ConfigurationError);
      expect(message).toMatch(name === "lock" ? /whose lock is/ : /is a link, a folder or a device/);
    }
  });

  it.each([false, true])("does not touch another file that has the name (overwrite: %j)", async (overwrite) => {
    const { file, out, failed } = await startFailed();
    writeFileSync(`${out}.retry`, "dear diary\n");
    await errorOf(complete(file, out, overwrite), ConfigurationError);
    expect([readFileSync(`${out}.retry`, "utf8"), readFileSync(out)]).toEqual(["dear diary\n", failed]);
  });

  it.skipIf(process.platform === "win32")("is for its owner alone while it is replaced", async () => {
    const { out, input } = await startFailed();
    const output = openOutput(out, input, { retry: true });
    output.write(1, ["6000000002", "x", ...valuesOf("6000000002")]);
    expect(statSync(`${out}.retry`).mode & 0o777).toBe(0o600);
    output.close();
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });
});

describe("the input", () => {
  const open = async (content: string | Uint8Array, column?: string) =>
    openInput(temporaryFile("people.csv", content), { column });

  it.each([
    [",", "id,mobile\n1,2\n"],
    [";", '"a,b,c";mobile\n1;2\n'],
    ["\t", "id\tmobile\n1\t2\n"],
    ["|", "id|mobile\n1|2\n"],
    [",", "mobile\n2\n"],
  ])("finds the delimiter %j", async (delimiter, content) => {
    expect(await open(content)).toMatchObject({ delimiter, rows: [expect.anything()] });
  });

  it.each([
    ["", /empty/],
    ["number\n1\n", /no column "mobile".*It has: "number"/],
    ["Mobile\n1\n", /Did you mean "Mobile"/],
    ["mobile,mobile\n1,2\n", /several columns "mobile"/],
    ["mobile,a\n1,2\n1,2,3\n", /line 3 has more fields/],
    ['mobile\n"1\n2\n', /the last field does not end.*quote is missing/],
    ['mobile,pipe\n1,5" wide\n', /line 2 has a quote inside a field.*double the one inside/],
    ['mobile,pipe\n1,"5" wide"\n', /line 2 has a quote inside a field/],
    [new Uint8Array([...Buffer.from("mobile,name\n1,Zoë\n2,Zo"), 0xeb, 0x0a]), /not UTF-8\. Save it as CSV UTF-8/],
    [new Uint8Array([...Buffer.from("mobile,name\n1,"), 0xe9, 0x0a]), /not UTF-8/],
    [Buffer.from("\uFEFFmobile\n1\n", "utf16le"), /not UTF-8|no column/],
  ])("refuses %j before anything is sent, without quoting a row", async (content, message) => {
    const error = await errorOf(open(content), ConfigurationError);
    expect(error.message).toMatch(message);
  });

  it.each([["60000 00001,Asha Rao\n"], ["Asha Rao;asha@demoupi\n"], ["Asha Rao,6E+09\n"]])(
    "quotes no cell of %j, which has no header",
    async (content) => {
      const { message } = await errorOf(open(content, "Asha"), ConfigurationError);
      expect(message).toBe(
        '--column: the file has no column "Asha". Its first row (2 columns) must be a header, and seems to be data.',
      );
    },
  );

  it("says that a file does not exist", async () => {
    expect(
      (
        await errorOf(
          settled(() => openInput("/no/such/file.csv")),
          ConfigurationError,
        )
      ).message,
    ).toMatch(/does not exist/);
  });
});
