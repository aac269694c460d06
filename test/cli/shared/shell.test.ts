import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { quote } from "../../../src/cli/shared/print.ts";

it("leaves plain words as they are", () => {
  const words = ["order-17", "/home/me/bookings.jsonl", "http://127.0.0.1:4010", "me@example.in"];
  expect(words.map(quote)).toEqual(words);
});

it.skipIf(process.platform === "win32")("quotes what a shell would take apart", () => {
  const words = [
    "",
    "two words",
    "it's",
    "$HOME",
    "`date`",
    "a;b",
    "<PNR>",
    "*",
    "~",
    "a\nb",
    '"',
    "\\",
    "&",
    "#1",
    "!!",
  ];
  const read = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(quote).join(" ")}`], { encoding: "utf8" });
  expect(read.split("\0").slice(0, -1)).toEqual(words);
});
