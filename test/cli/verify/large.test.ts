/**
 * A large file against a service that refuses 2 % of the requests with 429 and 1 % with 503, interrupted and killed.
 * `VERIFY_ROWS=50000 npx vitest run test/cli/verify/large.test.ts` runs it at full size.
 */
import { readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import { startEmulator, startVerify, temporaryFile } from "./command.ts";

const count = Number(process.env.VERIFY_ROWS ?? 700);
const isFullSize = count > 10_000;
const perSecond = isFullSize ? 500 : 200;
const kills = isFullSize ? 10 : 3;

const rows = Array.from({ length: count }, (_, index) => {
  const same = index % 61 === 7 ? index - 1 : index;
  // The last four digits choose the response of the emulator.
  const number = `6${String(same).padStart(5, "0")}${same % 50 === 3 ? "0404" : "1111"}`;
  const mobile = index % 97 === 5 ? "not a number" : number;
  return [String(index), mobile, `note "${index}"\nof ${index}`];
});
const quoted = (field: string) => (/["\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const csv = [["id", "mobile", "note"], ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");

/** Fails a share of the requests, and a number three times in a row at most, so that its retries suffice. */
function faults() {
  const failed = new Map<string, number>();
  const counts = { "429": 0, "503": 0 };
  const times: number[] = [];
  const body = (statusCode: string) => ({ status: "failed", statusCode, message: "try again later" });
  const respond = ({ vpa_mobile: mobile }: { readonly vpa_mobile: string }) => {
    times.push(performance.now());
    const dice = Math.random();
    const before = failed.get(mobile) ?? 0;
    if (dice > 0.03 || before >= 2) {
      failed.delete(mobile);
      return undefined;
    }
    failed.set(mobile, before + 1);
    counts[dice < 0.02 ? "429" : "503"]++;
    if (dice >= 0.02) return Response.json(body("503"), { status: 503 });
    return Response.json(body("429"), { status: 429, headers: { "retry-after": "0.1" } });
  };
  return { respond, counts, times };
}

/** The most of the times that are within a second. */
function mostPerSecond(times: readonly number[]): number {
  let first = 0;
  return Math.max(
    ...times.map((time, index) => {
      while ((times[first] ?? 0) <= time - 1_000) first++;
      return index - first + 1;
    }),
  );
}

const timeout = isFullSize ? 3_600_000 : 60_000;

// Windows has no signals: a Ctrl-C from another process kills.
it.skipIf(process.platform === "win32")(
  `${count} rows have one result each, after Ctrl-C and ${kills} kills`,
  { timeout },
  async () => {
    const { emulator, url } = await startEmulator();
    const { respond, counts, times } = faults();
    emulator.script("verification.findVpas", respond);
    const file = temporaryFile("people.csv", csv);
    const out = temporaryFile("result.csv");
    const args = ["--file", file, "--out", out, "--consent", "Y", "--concurrency", isFullSize ? "64" : "16"];
    // A heap of this size would not hold the results of the full size.
    const run = () => startVerify([...args, "--per-second", String(perSecond)], url, ["--max-old-space-size=96"]);
    const size = () => statSync(out, { throwIfNoEntry: false })?.size ?? 0;
    const step = csv.length / (kills + 3);
    const grown = async (by: number) => {
      const from = size();
      while (size() < from + by) await sleep(5);
      await sleep(Math.random() * 30);
    };

    const started = performance.now();
    const interrupted = run();
    await grown(step);
    interrupted.child.kill("SIGINT");
    const first = await interrupted.ended;
    expect([first.code, first.errors]).toEqual([130, expect.stringMatching(/Run the same command again/)]);
    expect(readFileSync(out, "utf8").endsWith("\n")).toBe(true);

    for (let kill = 0; kill < kills; kill++) {
      const { child, ended } = run();
      await grown(Math.random() * 2 * step);
      child.kill("SIGKILL");
      await ended;
    }
    const last = run();
    const memory = isFullSize ? await watchMemory(last.child.pid, last.ended) : [];
    const { code, errors, output } = await last.ended;
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
    // The service sees the requests a little later than they were sent.
    expect(mostPerSecond(times)).toBeLessThanOrEqual(perSecond * 1.1);
    const seconds = (performance.now() - started) / 1_000;
    console.log(
      `${count} rows, ${times.length} requests in ${seconds.toFixed(0)} s, at most ${mostPerSecond(times)} per second ` +
        `of ${perSecond}; 429: ${counts["429"]}, 503: ${counts["503"]}; memory in MB: ${memory.join(", ") || "not measured"}`,
    );
  },
);

/** The resident memory of a process, each ten seconds. */
async function watchMemory(pid: number | undefined, ended: Promise<unknown>): Promise<readonly number[]> {
  const samples: number[] = [];
  let isRunning = true;
  void ended.then(() => {
    isRunning = false;
  });
  while (isRunning) {
    await Promise.race([sleep(10_000), ended]);
    const [, kilobytes] = isRunning ? (/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []) : [];
    if (kilobytes !== undefined) samples.push(Math.round(Number(kilobytes) / 1_024));
  }
  return samples;
}
