import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { lineOf, row } from "../../flights/journal/rows.ts";
import { passenger } from "../../support/passenger.ts";
import { environmentOf } from "../support.ts";
import { startStation } from "./support.ts";

/** The examples of a help text, with the lines that continue them. */
function examplesOf(help: string): readonly string[] {
  const [, examples = ""] = /^Examples.*\n([\s\S]*?)\n\n/m.exec(help) ?? [];
  return examples.split(/^ {2}\$ /m).filter((example) => example !== "");
}

describe("the examples of the help run as pasted", () => {
  it.each(["quote", "rules", "fees", "book", "bookings"])("of serviceapi %s", async (name) => {
    const station = await startStation();
    const shim = station.write(
      "npx",
      `#!/bin/sh\nshift\nexec "${process.execPath}" "${resolve("dist/cli/main.js")}" "$@"\n`,
    );
    chmodSync(shim, 0o755);
    station.write("passengers.json", [passenger()]);
    const examples = examplesOf((await station.run([name, "--help"])).out);
    expect(examples.length).toBeGreaterThan(1);
    const journal = station.write("bookings.jsonl", lineOf(row({ state: "rejected" })));
    for (const example of examples) {
      const { code, output } = await shell(example, station.folder, {
        PATH: `${station.folder}:${process.env.PATH}`,
        ...environmentOf(station.url),
        SERVICEAPI_JOURNAL: journal,
        TRACE_ID: station.search[0],
        TOKEN: station.search[1],
      });
      expect({ example, code, output }).toEqual({ example, code: endOf(example), output });
    }
  });
});

/** A preview ends with 7, a second booking with 3, and there is no order-17 to show or to reconcile. */
function endOf(example: string): number {
  if (example.startsWith("npx serviceapi book "))
    return example.includes("--agreed") ? 3 : example.includes("--yes") ? 0 : 7;
  if (example.includes("reconcile")) return 2;
  return example.startsWith("npx serviceapi bookings --reference") ? 4 : 0;
}

async function shell(script: string, cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", ["-c", script], { cwd, env });
  child.stdin.end();
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code, output: out + err };
}
