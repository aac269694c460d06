import { describe, expect, it } from "vitest";
import { serviceapi } from "../../support/command.ts";

it.each<[string[], string, string]>([
  [["quote", "--no-such-flag"], "unknown option '--no-such-flag'", "quote --help"],
  [["quote", "--timeout"], "option '--timeout <ms>' argument missing", "quote --help"],
  [["webhook", "fire"], "required option '--to <url>' not specified", "webhook fire --help"],
  [["webhook", "nonsense"], "unknown command", "webhook --help"],
  [["nonsense"], "unknown command", "--help"],
  [["help", "nonsense"], "unknown command", "--help"],
  [["help", "webhook", "nonsense"], "unknown command", "webhook --help"],
  [["lookup", "6000000001"], "unknown command\n(Did you mean verify?)", "--help"],
  [["flights"], "unknown command 'flights'\n(Did you mean quote, rules, fees or book?)", "--help"],
  [["flights", "quote"], "unknown command 'flights'\n(Did you mean quote, rules, fees or book?)", "--help"],
  [
    ["bookings", "order-77"],
    "too many arguments for 'bookings'. Expected 0 arguments but got 1. Pass --reference to choose a booking.",
    "bookings --help",
  ],
  [
    ["verify", "60000", "00001", "--consent", "Y"],
    "too many arguments for 'verify'. Expected 1 argument but got 2. Put quotes around an argument that has spaces.",
    "verify --help",
  ],
])("%j names the command whose help to read", async (args, message, help) => {
  const { stdout, stderr, code } = await serviceapi(args);
  expect([code, stdout, stderr]).toEqual([2, "", `error: ${message}\nSee npx serviceapi ${help}.\n`]);
});

it.each([
  [["quote", "--no-such-flag", "--json"]],
  [["quote", "--json", "--timeout"]],
  [["webhook", "fire", "--json"]],
  [["nonsense", "--json"]],
  [["ask", "--no-such-flag", "--events"]],
])("%j is refused in a line of JSON", async (args) => {
  const { stdout, stderr, code } = await serviceapi(args);
  expect([code, stderr, stdout.split("\n").length]).toEqual([2, "", 2]);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { kind: "configuration", outcome: "notSent", message: expect.stringMatching(/\w/) },
  });
});

const secret = "hunter2-hunter2";
const url = `https://me:${secret}@api.example.in/hook`;

/** Each command with its required arguments and options. */
const commands: readonly (readonly string[])[] = [
  ["doctor"],
  ["verify", "6000000001", "--consent", "Y"],
  ["ask", "Hello"],
  ["chat"],
  ["quote", "trace", "token"],
  ["rules", "trace", "token"],
  ["fees", "trace", "token"],
  ["book", "trace", "token", "--passengers", "p.json", "--max-total", "1 INR"],
  ["bookings"],
  ["bookings", "reconcile", "order-17", "--not-booked"],
  ["webhook", "fire", "--to", "http://127.0.0.1:1"],
  ["webhook", "sign"],
  ["webhook", "verify"],
  ["webhook", "listen", "--port", "0"],
  ["webhook", "check-url", "https://pay.example.in", "--brand", "example.in"],
  ["emulator", "--port", "0"],
];

/** Runs a command that must be refused as an error of usage, and returns what it prints. */
async function refused(args: readonly string[]): Promise<string> {
  const { stdout, stderr, code } = await serviceapi(args, { env: { SERVICEAPI_WEBHOOK_SECRET: "another-secret" } });
  expect([code, args]).toEqual([2, args]);
  expect(stdout + stderr).not.toContain(secret);
  return stdout + stderr;
}

describe("a secret on the command line", () => {
  it.each(commands.map((args) => ({ args })))("is not an option of $args, and is not printed", async ({ args }) => {
    expect(await refused([...args, `--secret=${secret}`])).toContain("error: unknown option '--secret'\n");
  });

  it.each([
    [["doctor", "--client-secret", secret], /^error: unknown option '--client-secret'\n/],
    [["doctor", `--client-secret=${secret}`, "--json"], /"message":"unknown option '--client-secret'"/],
    [["doctor", `-s${secret}`], /^error: unknown option '-s'\n/],
    [["doctor", `--secret-stdin=${secret}`], /^error: unknown option '--secret-stdin'\n/],
    [["doctor", secret], /^error: too many arguments for 'doctor'\. Expected 0 arguments but got 1\.\n/],
    [["webhook", secret], /^error: unknown command\n/],
    [
      ["webhook", "listen", "--port", `a'b\n${secret}`],
      /^error: option '--port <number>' is invalid\. It must be an int/,
    ],
    [["webhook", "listen", "--auth", secret], /^error: option '--auth <scheme>' is invalid\. Allowed choices are hmac/],
    [["webhook", "fire", "--header", `Authorization: Bearer ${secret}`], /^error: required option '--to <url>'/],
    [["webhook", "sign", "--header", `Authorization: Bearer ${secret}`], /header must be a valid header name/],
    [["webhook", "verify", "-H", `Authorization: Basic ${secret}`], /others can read the value of Authorization/],
    [["webhook", "verify", "-H", `x-api-key:${secret}`], /Put it into a file, and pass @ and its name/],
    [["webhook", "fire", "--to", url], /'--to <url>' is invalid\. It must not contain a user name or a password\.\n/],
    [["webhook", "sign", "--to", url], /must not contain a user name/],
    [["emulator", "--webhook-url", url], /must not contain a user name/],
    [["ask", "x", "--image", `${url}.png`], /must not contain a user name/],
    [["bookings", "--base-url", url], /must not contain a user name/],
  ])("in %j is refused without printing it", async (args, message) => {
    expect(await refused(args)).toMatch(message);
  });

  it("in the URL of check-url is not printed", async () => {
    const { stdout, code } = await serviceapi(["webhook", "check-url", url, "--brand", "example.in"]);
    expect([code, stdout.includes(secret)]).toEqual([1, false]);
  });
});
