import { describe, expect, it } from "vitest";
import { serviceapi } from "../../support/command.ts";

const baseUrl = { SERVICEAPI_BASE_URL: "https://api.example.com" };
const verify = ["verify", "6000000001", "--consent", "Y"];
const all =
  "The base URL, the client ID and the client secret are missing: set SERVICEAPI_BASE_URL, SERVICEAPI_CLIENT_ID and " +
  "SERVICEAPI_CLIENT_SECRET, or pass --base-url, --client-id and --secret-stdin. npx serviceapi doctor shows which " +
  "settings are set, and where they come from.";

describe("settings that are missing", () => {
  it("are all named at once, with what to do", async () => {
    const { code, stdout, stderr } = await serviceapi(verify, { env: { NO_COLOR: "1" } });
    expect([code, stdout, stderr]).toEqual([2, "", `error: ${all}\n`]);
  });

  it("are one message of JSON under --json", async () => {
    const { code, stdout } = await serviceapi([...verify, "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      2,
      { error: { name: "ConfigurationError", kind: "configuration", message: all } },
    ]);
  });

  it("are named alone if others are set, by a variable that is not empty or a flag", async () => {
    const env = { ...baseUrl, SERVICEAPI_CLIENT_ID: "" };
    const { stderr } = await serviceapi(verify, { env });
    expect(stderr).toMatch(
      /The client ID and the client secret are missing: set SERVICEAPI_CLIENT_ID and SERVICEAPI_CLIENT_SECRET, or pass --client-id and --secret-stdin\./,
    );
    const one = await serviceapi([...verify, "--client-id", "demo-client"], { env });
    expect(one.stderr).toMatch(/The client secret is missing: set SERVICEAPI_CLIENT_SECRET, or pass --secret-stdin\./);
  });

  it.each([
    [["verify", "--file", "people.csv", "--consent", "Y"]],
    [["ask", "Hello"]],
    [["chat"]],
    [["quote", "trace", "token"]],
    [["rules", "trace", "token"]],
    [["fees", "trace", "token"]],
  ])("stop %j before it does anything else", async (args) => {
    const { code, stderr } = await serviceapi(args, { env: baseUrl });
    expect([code, stderr]).toEqual([2, expect.stringContaining("The client ID and the client secret are missing")]);
  });
});
