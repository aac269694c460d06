import { describe, expect, it } from "vitest";
import { judge } from "../../../src/cli/doctor/live/assumptions.ts";
import { callRecord } from "../../../src/cli/doctor/live/calls.ts";
import { formatReport } from "../../../src/cli/doctor/report.ts";
import { credentials, doctor, report, serve } from "./support.ts";

const verify = (mobile: string) => ["--live", "--verify", mobile, "--consent", "Y"];

describe("a call that the service refuses", () => {
  it("is not healthy if it was to succeed, and the report says what to do", async () => {
    const { env, token } = await serve();
    const { code, stdout } = await doctor(["--live", "--quote", "another-trace", token, "--rules"], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}✖ flights\.fareQuote +refused \(trace_mismatch\).*\n +→ Search again/m);
    expect(stdout).toMatch(/✖ not healthy: [\s\S]*2 calls\s+without\s+a\s+usable\s+response/);
    const limited = await report(verify("9876540429"), env);
    expect([limited.code, limited.json.ok, limited.json.calls]).toMatchObject([1, false, [{ isUsable: false }]]);
  });

  it("is healthy if the refusal is the result of a look-up, or was asked for", async () => {
    const { env } = await serve();
    for (const args of [verify("9876540404"), ["--live", "--refusal"]]) {
      const { code, json } = await report(args, env);
      expect([code, json.calls]).toMatchObject([0, [{ state: "refused", isUsable: true }]]);
    }
  });
});

describe("a report", () => {
  it("has the checks and their advice, and no host", async () => {
    const { url } = await serve();
    const env = { ...credentials, SERVICEAPI_BASE_URL: url, SERVICEAPI_CLIENT_SECRET: "wrong-secret" };
    const { code, stdout } = await doctor(["--live", "--refusal"], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^ {2}✖ credentials +refused by the service .*\n +→ Check client ID and secret in the partner/m,
    );
    expect(stdout).not.toMatch(/127\.0\.0\.1|wrong-secret/);
  });

  it("names no host either if a check fails before the calls", async () => {
    const { url } = await serve();
    const env = { SERVICEAPI_BASE_URL: url, SERVICEAPI_CLIENT_ID: "a", SERVICEAPI_CLIENT_SECRET: " b" };
    const { code, stdout } = await doctor(["--live", "--refusal"], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}✖ client secret +from .*\n(?: {4}.*\n)* +→ Correct SERVICEAPI_CLIENT_SECRET\.$/m);
    expect(stdout).not.toMatch(/^Calls|127\.0\.0\.1/m);
  });
});

describe("the table of assumptions", () => {
  const call = {
    name: "quote",
    operation: "flights.fareQuote",
    what: "",
    send: async () => ({ warnings: [] }),
  } as const;
  const calls = [callRecord(call, 10, undefined, { warnings: [] })];
  const shown = {
    groups: [{ title: "Checks", checks: [{ name: "runtime", state: "ok", detail: "Node" } as const] }],
    calls,
    findings: judge(calls),
  };

  it("lists what was not seen in one paragraph", () => {
    expect(formatReport(shown, 80)).toMatch(/^– not seen: .*A1\b/m);
    expect(formatReport(shown, 80)).not.toMatch(/what corrects it/);
    expect(
      formatReport(shown, 80)
        .split("\n")
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });
});
