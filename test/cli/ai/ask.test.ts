import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { launchProgram, openTerminal, serviceapi, start } from "../../support/command.ts";
import { startServer } from "../../support/server.ts";
import { startEmulator } from "../support.ts";

const esc = "\u001b";

describe("serviceapi ask", () => {
  it("prints the text as the service wrote it into a pipe, and the context token beside it", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.stream", ["**Take** the ", "early train.\n"]);
    const { stdout, stderr, code } = await serviceapi(["ask", "Which", "train?"], { env });
    expect([code, stdout]).toEqual([0, "**Take** the early train.\n"]);
    expect(stderr).toMatch(/^context token: svc_[a-z0-9]+ \(pass it to --context to continue\)\n$/);
    expect(emulator.requests[0]?.body).toMatchObject({ user: { text: "Which train?" }, stream: true });
  });

  it("continues from --context, and asks about each --image", async () => {
    const { emulator, env } = await startEmulator();
    const first = await serviceapi(["ask", "One"], { env });
    const [token = ""] = /svc_\w+/.exec(first.stderr) ?? [];
    const images = ["https://images.example/a.png", "https://images.example/b.webp"];
    const flags = images.flatMap((image) => ["--image", image]);
    const reference = ["--reference", "ask-17"];
    const { stdout, code } = await serviceapi(["ask", ...flags, "Two", "--context", token, ...reference], { env });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Turn \*\*2\*\* of this conversation/)]);
    expect(emulator.requests[1]?.body).toMatchObject({
      ...{ user: { text: "Two", images }, context_token: token, client_referenceId: "ask-17" },
    });
  });

  it.each([
    ["-", ["Sum", "it up:", "-"], "Sum it up:\n\nnotes\nof mine"],
    ["- in front", ["-", "Sum it up."], "notes\nof mine\n\nSum it up."],
    ["no question", [], "notes\nof mine"],
  ])("reads standard input for %s", async (_name, words, text) => {
    const { emulator, env } = await startEmulator();
    const { code } = await serviceapi(["ask", ...words], { env, stdin: "notes\nof mine\n" });
    expect([code, emulator.requests[0]?.body]).toEqual([0, expect.objectContaining({ user: { text } })]);
  });

  it("logs to standard error at the level of SERVICEAPI_LOG", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.createResponse", { text: "All of it." });
    const { stdout, stderr } = await serviceapi(["ask", "x", "--json"], { env: { ...env, SERVICEAPI_LOG: "debug" } });
    expect(JSON.parse(stdout)).toMatchObject({ system: { text: "All of it." } });
    expect(stderr).toMatch(/^serviceapi ai\.createResponse request [\s\S]*createResponse received/);
    expect(stderr).not.toContain(env.SERVICEAPI_CLIENT_SECRET);
  });

  it("prints the response as one JSON document, or its events as lines, as the service sent them", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.createResponse", { text: `${esc}]52;c;x\u0007 \u009b ok` });
    emulator.on("ai.stream", ["a", `${esc}[2Jb`]);
    const whole = await serviceapi(["ask", "x", "--json"], { env });
    expect(JSON.parse(whole.stdout)).toMatchObject({
      status: "SUCCESS",
      system: { text: `${esc}]52;c;x\u0007 \u009b ok` },
    });
    expect([whole.stdout.includes("\u009b"), whole.stderr]).toEqual([false, ""]);
    const events = await serviceapi(["ask", "x", "--events"], { env });
    const lines = events.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ event }) => event)).toEqual([
      ...["response_initiated", "response_output", "response_output", "response_completed"],
    ]);
    expect(lines[2].system.text_chunk).toBe(`${esc}[2Jb`);
  });

  it("removes what a terminal would obey, also in a pipe and in an error", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.stream", ["a", esc, "]52;c;ZXZp", "bA==\u0007b\u202e", "\r\n", `${esc}[2Jc`]);
    expect((await serviceapi(["ask", "x"], { env })).stdout).toBe("ab\nc\n");
    const server = await startServer((response) =>
      response
        .writeHead(400, { "content-type": "application/json", "x-request-id": "r1" })
        .end(JSON.stringify({ status: "FAILED", status_code: "400", message: `No${esc}]0;evil\u0007 way${esc}[1A` })),
    );
    const { stderr } = await serviceapi(["ask", "x"], { env: { ...env, SERVICEAPI_BASE_URL: server.url } });
    // Without the characters that begin and end a sequence, the rest of it is text.
    expect(stderr).toMatch(/^error: ai\.stream: .*No \]0;evil +way \[1A\./m);
    expect(stderr).not.toMatch(new RegExp(`[${esc}\u0007]`));
  });

  it("shows the completed text if it differs from its parts, which it says", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.stream", { chunks: ["one ", "too"], text: "one two" });
    const { stdout, stderr } = await serviceapi(["ask", "x"], { env });
    expect(stderr).toMatch(/^The completed text differs from the parts above\./);
    expect(stdout).toBe("one too\none two\n");
  });

  it("shows the response once if its parts lacked only its end", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("*", "stream-final-text-differs");
    const { stdout, stderr } = await serviceapi(["ask", "x"], { env });
    expect([stdout, stderr]).toEqual(["Hello world.\n", expect.not.stringContaining("differs")]);
  });

  it("ends each failure with the exit code for it, in words and without a stack", async () => {
    const { env } = await startEmulator();
    const runs: readonly (readonly [number, RegExp, ...string[]])[] = [
      [2, /user\.text/, ""],
      [2, /images/, "x", "--image", "http://a/b.pdf"],
      [2, /context_token/, "x", "--context", "abc"],
      [2, /--json has no effect with --events/, "x", "--json", "--events"],
      [2, /so the question cannot/, "-", "--secret-stdin"],
      [2, /unknown option/, "x", "--colour"],
      [3, /error/, "x", "--context", "svc_unknown"],
      [3, /^error: ai\.stream: the service refused the call \(authentication, /, "x", "--secret-stdin"],
      [5, /the service reported FAILED/, "/fail"],
      [3, /Change the text, the images or the conversation before sending it again\./, "/fail", "--json"],
      [5, /the response ended before response_completed\./, "/truncate"],
      [6, /^error: ai\.stream: no connection to 127\.0\.0\.1:1 /m, "x", "--base-url", "http://127.0.0.1:1"],
    ];
    for (const [expected, message, ...args] of runs) {
      const { stdout, stderr, code } = await serviceapi(["ask", ...args], { env, stdin: "wrong-secret" });
      expect([code, stdout + stderr]).toEqual([expected, expect.stringMatching(message)]);
      expect(stdout + stderr).not.toMatch(/demo-secret|wrong-secret|\n\s+at /);
    }
  });

  it("says of a 503 that one can ask again, not what cannot be looked up", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.stream", "unavailable");
    const { stderr } = await serviceapi(["ask", "x"], { env });
    expect(stderr).toContain("It may have been processed: asking again may use the quota twice.");
    expect(stderr).not.toContain("look it up");
  });

  it.skipIf(process.platform === "win32")("says that a pipe was not read, unless - includes it", async () => {
    const { env } = await startEmulator();
    const main = `"${process.execPath}" dist/cli/main.js`;
    const pipe = (words: string) => launchProgram("sh", ["-c", `echo notes | ${main} ask ${words}`], { env }).ended;
    const note = "Standard input was not read: pass - to include it in the question.";
    expect(await pipe("Hello")).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
    expect(await pipe("Hello -")).toMatchObject({ code: 0, stderr: expect.not.stringContaining(note) });
  });

  it("keeps the text that came before a failure", async () => {
    const { env } = await startEmulator();
    const { stdout, stderr } = await serviceapi(["ask", "/truncate"], { env });
    expect([stdout.length > 1, stdout.endsWith("\n")]).toEqual([true, true]);
    expect(stderr).toMatch(/^outcome: unknown · client_referenceId: \w{26}/m);
  });

  it("prints an error as JSON, on one line with --events", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.createResponse", "rate_limited");
    const whole = await serviceapi(["ask", "x", "--json"], { env });
    expect([whole.code, JSON.parse(whole.stdout)]).toEqual([
      6,
      { error: expect.objectContaining({ kind: "rate_limited" }) },
    ]);
    const { stdout, code } = await serviceapi(["ask", "/truncate", "--events"], { env });
    const last = stdout.trim().split("\n").at(-1) ?? "";
    expect([code, JSON.parse(last)]).toEqual([5, { error: expect.objectContaining({ kind: "stream_truncated" }) }]);
  });

  it.skipIf(process.platform === "win32")(
    "stops at Ctrl-C, keeps the text so far, and ends with exit code 130",
    async () => {
      const { emulator, env } = await startEmulator();
      const run = start(["ask", "/stall:60000 one two three four"], env);
      await run.until(/##/);
      run.kill("SIGINT");
      expect(await run.exit).toBe(130);
      expect(run.output()).toMatch(/^##[^\n]*\n$/);
      expect(emulator.requests).toHaveLength(1);
    },
  );
});

describe.skipIf(process.platform !== "linux")("serviceapi ask in a terminal", () => {
  const ask = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const { env } = await startEmulator();
    const run = openTerminal(["ask", ...args], { env: { ...env, ...more } });
    return { code: await run.exit, output: run.output() };
  };

  it("styles Markdown", async () => {
    const { output, code } = await ask(["/markdown"]);
    expect(code).toBe(0);
    expect(output).toContain(`A ${esc}[1m**`);
    expect(stripVTControlCharacters(output)).toContain("A **fare quote** re-prices a chosen flight.");
  });

  it.each([
    ["TERM=dumb", { TERM: "dumb" }],
    ["NO_COLOR", { NO_COLOR: "1" }],
  ])("prints the text without styles under %s", async (_name, more) => {
    const { output } = await ask(["/markdown"], more);
    expect(output).toContain("A **fare quote** re-prices a chosen flight.");
    expect(output).not.toMatch(new RegExp(`${esc}\\[(?:\\d*[AJ]|\\d+m)`));
  });

  it("asks for a question, without reading the terminal", async () => {
    const { output, code } = await ask([]);
    expect([code, output]).toEqual([2, expect.stringContaining("No question.")]);
  });
});
