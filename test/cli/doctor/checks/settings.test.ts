import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { temporaryFile } from "../../../support/temporary-file.ts";
import { check, doctor, type JsonReport, report, service, states } from "../support.ts";

describe("settings of serviceapi doctor", () => {
  it("names where each comes from: flag, environment, standard input or file, and never a value or its length", async () => {
    const { url } = await service();
    const dotenv = temporaryFile(
      "sources.env",
      "SERVICEAPI_CLIENT_ID=from-file\nSERVICEAPI_WEBHOOK_SECRET=hunter2-hunter2\n",
    );
    const { code, stdout } = await doctor(
      ["--json", "--base-url", url, "--dotenv", dotenv, "--secret-stdin", "--timeout", "5000"],
      {},
      "swordfish-1234\n",
    );
    const json: JsonReport = JSON.parse(stdout);
    expect(code).toBe(0);
    const details = ["base URL", "client ID", "client secret", "webhook secret"].map((name) => check(json, name));
    expect(details.map(({ state, detail }) => `${state}: ${detail}`)).toEqual([
      "ok: set, from --base-url",
      "ok: set, from SERVICEAPI_CLIENT_ID in the file of --dotenv",
      "ok: set, from --secret-stdin",
      "ok: set, from SERVICEAPI_WEBHOOK_SECRET in the file of --dotenv",
    ]);
    for (const value of ["from-file", "hunter2", "swordfish", "14", "15"])
      expect(details.map((d) => d.detail).join()).not.toContain(value);
  });

  it("warns if the environment wins over the file, and about a variable that nothing reads", async () => {
    const { env } = await service();
    const dotenv = temporaryFile(
      "hidden.env",
      "SERVICEAPI_CLIENT_ID=another\nSERVICEAPI_BASEURL=https://api.example.com\n",
    );
    const { code, json } = await report(["--dotenv", dotenv], { ...env, SERVICEAPI_JOURNAL: "/tmp/bookings.jsonl" });
    expect([code, json.checks.filter(({ name }) => name === "environment")]).toEqual([0, [expect.anything()]]);
    expect(check(json, "client ID")).toMatchObject({ state: "warning", detail: expect.stringContaining("no effect") });
    expect(check(json, "environment")).toMatchObject({ state: "warning", advice: "Did you mean SERVICEAPI_BASE_URL?" });
  });

  it.each([
    ["client ID", { SERVICEAPI_CLIENT_ID: "an-id\n" }, /begins or ends with white space/],
    ["client secret", { SERVICEAPI_CLIENT_SECRET: "schlüssel-1" }, /visible ASCII/],
    ["client secret", { SERVICEAPI_CLIENT_SECRET: "" }, /is missing/],
    ["base URL", { SERVICEAPI_BASE_URL: "http://api.example.com" }, /must be https/],
    ["base URL", { SERVICEAPI_BASE_URL: "https://me:pass@api.example.com" }, /user name or password/],
    ["base URL", { SERVICEAPI_BASE_URL: "https://api.example.com/v1/api/serviceapi-prod/api" }, /already ends in/],
    ["webhook secret", { SERVICEAPI_WEBHOOK_SECRET: "hunter2-hunter2\n\n" }, /white space/],
    ["webhook secret", { SERVICEAPI_WEBHOOK_SECRET: "whsec_%%%" }, /no letters or digits/],
    ["webhook secret", { SERVICEAPI_WEBHOOK_SECRET: "whsec_hunter%2" }, /base64/],
  ])("finds a malformed %s (%j), and exits with 1", async (name, changes, reason) => {
    const { env } = await service();
    const { code, json, stdout } = await report([], { ...env, ...changes });
    expect([code, json.ok, check(json, name).state]).toEqual([1, false, "failed"]);
    expect(check(json, name).detail).toMatch(reason);
    expect(check(json, name).advice).toContain(Object.keys(changes)[0]);
    for (const value of Object.values(changes)) if (value.trim() !== "") expect(stdout).not.toContain(value.trim());
    const isUrl = name === "base URL";
    expect(states(json)["response (HTTP)"]).toBe(isUrl ? "notChecked" : "ok");
  });

  it.each(["verification", "verification/upimobile_multiple/", "flight"])(
    "warns of a base URL that ends in the path of a call: %s",
    async (path) => {
      const { env } = await service();
      const { json } = await report([], { ...env, SERVICEAPI_BASE_URL: `${env.SERVICEAPI_BASE_URL}/${path}` });
      expect(check(json, "base URL")).toMatchObject({
        state: "warning",
        detail: expect.stringContaining(
          `it ends in "${path.replace(/\/$/, "")}", with which the path of a call begins`,
        ),
      });
    },
  );

  it("finds that nothing is set, and says how to set it", async () => {
    const { code, json } = await report([]);
    expect(code).toBe(1);
    expect(check(json, "base URL").advice).toBe("Set SERVICEAPI_BASE_URL, or pass --base-url.");
    expect(states(json)).toMatchObject({ clock: "notChecked", proxy: "notChecked", "IP address": "notChecked" });
  });

  it.each([
    [["--no-such-flag"], /unknown option/],
    [["--dotenv", tmpdir()], /is a folder\. Name a file/],
    [["--path-prefix", "flights"], /must be area=path/],
    [["--path-prefix", "flight=v1"], /did you mean "flights"/],
    [["--secret-stdin"], /standard input is empty/],
    [["--timeout", "soon"], /milliseconds/],
    [["--timeout", "0"], /milliseconds of at least 1/],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await doctor(args);
    expect([code, stderr, stdout]).toEqual([2, expect.stringMatching(message), ""]);
  });

  it("prints such an error as JSON under --json", async () => {
    const { code, stdout } = await doctor(["--json", "--dotenv", tmpdir()]);
    expect([code, JSON.parse(stdout).error.kind]).toEqual([2, "configuration"]);
  });
});
