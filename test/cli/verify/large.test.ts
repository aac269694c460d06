/**
 * A large file against a service that refuses 2 % of the requests with 429 and 1 % with 503, interrupted and killed.
 * `VERIFY_ROWS=50000 npx vitest run test/cli/verify/large.test.ts` runs it at full size; `VERIFY_SEED` has the same failures and kills again.
 */
import { createHash, randomInt } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "csv-parse/sync";
import { expect, it, onTestFailed } from "vitest";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";
import { startVerify } from "./command.ts";

const count = Number(process.env.VERIFY_ROWS ?? 700);
const isFullSize = count > 10_000;
const perSecond = isFullSize ? 500 : 100;
const kills = isFullSize ? 10 : 3;
const seed = process.env.VERIFY_SEED ?? String(randomInt(2 ** 31));

/** Returns a number from 0 to 1 that the seed and a name decide. */
function random(name: string): number {
  return createHash("sha256").update(`${seed} ${name}`).digest().readUInt32BE() / 2 ** 32;
}

const rows = Array.from({ length: count }, (_, index) => {
  const same = index % 61 === 7 ? index - 1 : index;
  // The last four digits choose the response of the emulator.
  const number = `6${String(same).padStart(5, "0")}${same % 50 === 3 ? "0404" : "1111"}`;
  const mobile = index % 97 === 5 ? "not a number" : number;
  return [String(index), mobile, `note "${index}"\nof ${index}`];
});
const quoted = (field: string) => (/["\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const csv = [["id", "mobile", "note"], ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");

/** Fails a share of the requests, and a number twice at most, so that its retries suffice. */
function faults() {
  const seen = new Map<string, number>();
  const counts = { "429": 0, "503": 0 };
  let received = 0;
  const waiting: { readonly until: number; readonly call: () => void }[] = [];
  const body = (statusCode: string) => ({ status: "failed", statusCode, message: "try again later" });
  const respond = ({ vpa_mobile: mobile }: { readonly vpa_mobile: string }) => {
    received++;
    for (const { until, call } of waiting) if (received === until) call();
    const nth = (seen.get(mobile) ?? 0) + 1;
    seen.set(mobile, nth);
    const dice = random(`${mobile} ${nth}`);
    if (dice > 0.03 || nth > 2) return undefined;
    counts[dice < 0.02 ? "429" : "503"]++;
    if (dice >= 0.02) return Response.json(body("503"), { status: 503 });
    return Response.json(body("429"), { status: 429, headers: { "retry-after": "0.1" } });
  };
  /** Resolves when this number of further requests has come. */
  const requests = (more: number) =>
    new Promise<void>((call) => waiting.push({ until: received + Math.max(1, Math.round(more)), call }));
  return { respond, counts, received: () => received, requests };
}

const timeout = isFullSize ? 3_600_000 : 120_000;

// Windows has no signals: a Ctrl-C from another process kills.
it.skipIf(process.platform === "win32")(
  `${count} rows have one result each, after Ctrl-C and ${kills} kills`,
  { timeout },
  async () => {
    const { emulator, url } = await startEmulator();
    onTestFailed(() => console.log(`VERIFY_SEED=${seed} has the same failures and kills.`));
    const { respond, counts, received, requests } = faults();
    emulator.on("verification.findVpas", respond);
    const file = temporaryFile("people.csv", csv);
    const out = temporaryFile("result.csv");
    const memory = temporaryFile("memory", "");
    const args = ["--file", file, "--out", out, "--consent", "Y", "--concurrency", isFullSize ? "64" : "16"];
    // A heap of this size holds both files at their full size.
    const nodeArgs = ["--max-old-space-size=96", "--import", sampler(memory)];
    const run = () => startVerify([...args, "--per-second", String(perSecond)], url, { nodeArgs });
    // The last run has more than two seconds to go, after which it tells how far it is.
    const step = count / (kills + 4);

    const interrupted = run();
    await requests(step);
    interrupted.child.kill("SIGINT");
    const first = await interrupted.ended;
    expect([first.code, first.errors]).toEqual([130, expect.stringMatching(/Run the same command again/)]);
    expect(readFileSync(out, "utf8").endsWith("\n")).toBe(true);

    for (let kill = 0; kill < kills; kill++) {
      const { child, ended } = run();
      await requests(random(`kill ${kill}`) * step);
      // Somewhere between a request and the row of its response.
      await sleep(random(`pause ${kill}`) * 30);
      child.kill("SIGKILL");
      await ended;
      // A kill leaves the lock behind.
      rmSync(`${out}.lock`, { force: true });
    }
    const { code, errors, output } = await run().ended;
    expect([code, errors]).toEqual([0, expect.stringMatching(/rows/)]);
    expect(output).toMatch(new RegExp(`^${count} of ${count} rows in result.csv(?: \\(\\d+ from before\\))?: `));

    const [header, ...results]: string[][] = parse(readFileSync(out));
    expect(header).toEqual([
      "id",
      "mobile",
      "note",
      "looked_up",
      "status",
      "vpa",
      "vpa_list",
      "name",
      "account_status",
      "error",
    ]);
    expect(results.map((fields) => fields.slice(0, 3))).toEqual(rows);
    const expected = rows.map(([, mobile = ""]) =>
      mobile === "not a number" ? "invalid" : mobile.endsWith("0404") ? "notFound" : "found",
    );
    expect(results.map(([, , , , status]) => status)).toEqual(expected);
    expect([counts["429"] > 0, counts["503"] > 0]).toEqual([true, true]);
    console.log(
      `${count} rows, ${received()} requests; 429: ${counts["429"]}, 503: ${counts["503"]}; seed ${seed}\n` +
        readFileSync(memory, "utf8"),
    );
  },
);

/** A module that notes the memory of the command itself, in MB, at its start and each ten seconds. */
function sampler(file: string): string {
  const code = `
    import { appendFileSync } from "node:fs";
    const note = () => {
      const used = Object.entries(process.memoryUsage()).map(([name, bytes]) => name + " " + Math.round(bytes / 2 ** 20));
      appendFileSync(${JSON.stringify(file)}, process.pid + ": " + used.join(", ") + "\\n");
    };
    note();
    setInterval(note, 10_000).unref();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
