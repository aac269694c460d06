import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { launch } from "../../support/command.ts";
import { passenger } from "../../support/passenger.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startStation } from "../flights/support.ts";

/** The text in encodings that a spreadsheet or an editor of Windows may choose. */
const encodings = [
  ["Windows-1252", (text: string) => Buffer.from(text, "latin1")],
  ["UTF-16 with a byte order mark", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16 without one", (text: string) => Buffer.from(text, "utf16le")],
] as const;

describe.each(encodings)("input in %s is refused, and nothing is sent", (_name, encode) => {
  const flags: readonly (readonly [string, (file: string) => string[], string])[] = [
    ["book --passengers", (file) => ["book", "t", "s", "--max-total", "1 INR", "--passengers", file], "passengers"],
    ["quote --search", (file) => ["quote", "--search", file], "search"],
    ["chat --load", (file) => ["chat", "--load", file], "conversation"],
    ["quote --dotenv", (file) => ["quote", "t", "s", "--dotenv", file], "environment"],
    ["doctor --dotenv", (file) => ["doctor", "--dotenv", file], "environment"],
    [
      "webhook fire --body",
      (file) => ["webhook", "fire", "--to", "http://127.0.0.1:9", "--auth", "none", "--body", `@${file}`],
      "body",
    ],
    ["verify --file", (file) => ["verify", "--consent", "Y", "--out", `${file}.csv`, "--file", file], "numbers"],
  ];
  it.each(flags)("%s", async (_flag, args, name) => {
    const station = await startStation();
    const file = temporaryFile(name);
    writeFileSync(file, encode(JSON.stringify([passenger({ city: "Pondichéry" })])));
    const { code, err, out } = await station.run(args(file));
    expect([code, err]).toEqual([2, expect.stringMatching(/ is not UTF-8\. Save it as (?:CSV )?UTF-8\./)]);
    expect(`${out}${err}`).not.toMatch(/\uFFFD|Pondich/);
    expect(station.emulator.requests).toEqual([]);
  });

  it.each([
    ["ask", ["ask", "-"]],
    ["chat", ["chat"]],
    ["book --passengers -", ["book", "t", "s", "--max-total", "1 INR", "--passengers", "-"]],
    ["--secret-stdin", ["quote", "t", "s", "--secret-stdin"]],
  ])("standard input of %s", async (_command, args) => {
    const station = await startStation();
    const { child, ended } = launch(args, { stdin: null, env: station.environment });
    child.stdin.end(encode("Où est Pondichéry?\n"));
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining("standard input is not UTF-8.")]);
    expect(station.emulator.requests).toEqual([]);
  });
});

it("a byte order mark in front of UTF-8 is not part of the text", async () => {
  const station = await startStation();
  const { child, ended } = launch(["ask", "-", "--json"], { stdin: null, env: station.environment });
  child.stdin.end("\uFEFFOù est Pondichéry?");
  expect((await ended).code).toBe(0);
  expect(station.emulator.requests).toMatchObject([{ body: { user: { text: "Où est Pondichéry?" } } }]);
});
