import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { openTerminal, serviceapi } from "../../support/command.ts";
import { temporaryFile } from "../../support/temporary-file.ts";
import { startEmulator } from "../support.ts";

const esc = "\u001b";
const [ctrlC, ctrlD, up] = ["\u0003", "\u0004", `${esc}[A`];
/** The prompt, ready to read. */
const prompt = /> \S*3G/;

async function openChat(flags: readonly string[] = [], more: Readonly<Record<string, string>> = {}) {
  const { emulator, env } = await startEmulator();
  const run = openTerminal(["chat", ...flags], { env: { ...env, ...more } });
  let at = await run.until(prompt);
  /** Types a line, and returns the text that is shown until the pattern, which is the next prompt. */
  const enter = async (keys: string, until: RegExp = prompt) => {
    run.write(keys);
    const from = at;
    at = await run.until(until, from);
    return stripVTControlCharacters(run.output().slice(from, at));
  };
  const bodies = () => emulator.requests.map(({ body }) => body as { user: { text: string }; context_token?: string });
  return { emulator, enter, run, bodies };
}

describe.skipIf(process.platform !== "linux")("serviceapi chat in a terminal", () => {
  it("continues from turn to turn, styles Markdown, and ends at Ctrl-D", async () => {
    const { enter, run, bodies } = await openChat();
    expect(await enter("Hello\r")).toContain("Turn **1** of this conversation");
    expect(await enter("Again\r")).toContain("Turn **2** of this conversation");
    run.write(ctrlD);
    expect(await run.exit).toBe(0);
    expect(run.output()).toMatch(/context token: svc_\w+ \(pass it to --context to continue\)/);
    expect(run.output()).toContain(`Turn ${esc}[1m**`);
    expect(bodies().map(({ user }) => user.text)).toEqual(["Hello", "Again"]);
  });

  it("stops a response at Ctrl-C, with the text so far, and asks the next question from the turn before", async () => {
    const { enter, run, bodies } = await openChat();
    await enter("Hello\r");
    await enter("//stall:60000 a long response\r", /You/);
    const stopped = await enter(ctrlC);
    expect(stopped).toContain(
      "Stopped. This turn does not count: the next question continues from the response before it.",
    );
    expect(await enter("And now?\r")).toContain("Turn **2** of this conversation");
    const [first, second, third] = bodies();
    expect(first?.context_token).toBeUndefined();
    expect(third?.context_token).toBe(second?.context_token);
    run.write(ctrlC);
    expect(await run.exit).toBe(130);
  });

  it("says what happened to a stream that fails, and keeps the conversation", async () => {
    const { enter, run } = await openChat();
    await enter("Hello\r");
    const failed = await enter("//truncate\r");
    expect(failed).toMatch(
      /error:.* the response ended before response_completed\..*\r\n.*outcome: unknown · client_referenceId: \w{26}/,
    );
    expect(failed).toContain("This turn does not count");
    expect(await enter("//fail\r")).toContain("the service reported FAILED");
    expect(await enter("Again\r")).toContain("Turn **2** of this conversation");
    await enter("/quit\r", /context token/);
    expect(await run.exit).toBe(0);
  });

  it("takes a paste of several lines as one question, and brings entries back", async () => {
    const { enter, run, bodies } = await openChat();
    await enter(`${esc}[200~one\rtwo\rthree${esc}[201~\r`, /three/);
    await enter("", prompt);
    await enter("typed\r");
    await enter(up, /typed/);
    await enter(up, /one two three/);
    await enter("\r");
    run.write(ctrlD);
    expect(await run.exit).toBe(0);
    expect(bodies().map(({ user }) => user.text)).toEqual(["one\ntwo\nthree", "typed", "one two three"]);
  });

  it("discards what is being entered at Ctrl-C, and ends at the next", async () => {
    const { enter, run, bodies } = await openChat();
    await enter("half a quest", /quest/);
    await enter(ctrlC);
    run.write(ctrlC);
    expect([await run.exit, bodies()]).toEqual([130, []]);
  });

  it("saves, starts a new conversation, loads and continues, and replaces no other file", async () => {
    const file = temporaryFile("chat.json");
    const { enter, run, bodies } = await openChat();
    await enter("Hello\r");
    expect(await enter(`/save ${file}\r`)).toContain(`1 turn saved to ${file}.`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const earlier = temporaryFile("earlier.json");
    linkSync(file, earlier);
    await enter("Again\r");
    expect(await enter(`/save ${file}\r`)).toContain("2 turns saved");
    // It was replaced as a whole: a crash in between would have left it.
    expect(JSON.parse(readFileSync(earlier, "utf8")).turns).toHaveLength(1);
    expect(readdirSync(dirname(file))).toEqual(["chat.json"]);
    expect(await enter("/new\r")).toContain("A new conversation.");
    expect(await enter("First\r")).toContain("Turn **1** of this conversation");
    expect(await enter(`/save ${file}\r`)).toContain("exists already");
    expect(await enter(`/load ${file}\r`)).toContain(`2 turns loaded from ${file}.`);
    expect(await enter("Third\r")).toContain("Turn **3** of this conversation");
    run.write(ctrlD);
    await run.exit;
    expect(JSON.parse(readFileSync(file, "utf8")).turns).toHaveLength(2);
    expect(bodies()).toHaveLength(4);
  });

  it("asks about images, once they are part of a turn that counts", async () => {
    const { enter, run, bodies } = await openChat();
    expect(await enter("/image https://images.example/a.png\r")).toContain("The next question is about this image.");
    expect(await enter("/image https://images.example/b.png\r")).toContain(
      "The next question is about these 2 images.",
    );
    await enter("//truncate\r");
    await enter("What is it?\r");
    await enter("And now?\r");
    const images = ["https://images.example/a.png", "https://images.example/b.png"];
    expect(bodies().map(({ user }) => user)).toEqual([
      { text: "/truncate", images },
      { text: "What is it?", images },
      { text: "And now?" },
    ]);
    run.write(ctrlD);
    expect(await run.exit).toBe(0);
  });

  it("refuses an invalid image at once, and removes images again", async () => {
    const { enter, run, bodies } = await openChat();
    expect(await enter("/image nofile.png\r")).toContain("/image needs an http or https URL");
    await enter("/image https://images.example/a.png\r");
    expect(await enter("/image\r")).toContain("The next question is about no image.");
    await enter("/image https://images.example/b.png\r");
    await enter("/image none\r");
    await enter("Hello\r");
    run.write(ctrlD);
    expect([await run.exit, bodies().map(({ user }) => user)]).toEqual([0, [{ text: "Hello" }]]);
  });

  it("explains commands, and those that it does not know or understand", async () => {
    const { enter, run, bodies } = await openChat();
    expect(await enter("/help\r")).toMatch(/\/save <file>.*write the conversation to a file/);
    expect(await enter("/hlep\r")).toContain("There is no command /hlep.");
    expect(await enter("/constructor\r")).toContain("There is no command /constructor.");
    expect(await enter("/save\r")).toContain("/save needs the name of a file.");
    expect(await enter("/load /no/such/file\r")).toContain("The file /no/such/file does not exist.");
    expect(await enter("   \r")).not.toContain("error");
    run.write(ctrlD);
    expect([await run.exit, bodies()]).toEqual([0, []]);
  });

  it("renders without colours under NO_COLOR", async () => {
    const { enter, run } = await openChat([], { NO_COLOR: "1" });
    const shown = await enter("//markdown\r");
    expect(shown).toContain("A **fare quote** re-prices a chosen flight.");
    run.write(ctrlD);
    expect(await run.exit).toBe(0);
    expect(run.output()).not.toMatch(new RegExp(`${esc}\\[[\\d;]*m`));
  });
});

describe("serviceapi chat in a pipe", () => {
  it("takes each line as a question, without a prompt", async () => {
    const { emulator, env } = await startEmulator();
    emulator.on("ai.stream", ({ user }) => ({ text: `**${user.text}**!` }));
    const { stdout, stderr, code } = await serviceapi(["chat"], { env, stdin: "One\n\nTwo" });
    expect([code, stdout]).toEqual([0, "**One**!\n**Two**!\n"]);
    expect(stderr).toMatch(/^context token: svc_\w+ .*\n$/);
  });

  it("prints each response as a line of JSON, and the error that ends it", async () => {
    const { env } = await startEmulator();
    const { stdout, stderr, code } = await serviceapi(["chat", "--json"], {
      env,
      stdin: "One\nTwo\n//truncate\nThree\n",
    });
    const [one, two, three, ...rest] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect([code, stderr, rest]).toEqual([5, "", []]);
    expect(two.parent_context_token).toBe(one.context_token);
    expect(three.error).toMatchObject({ kind: "stream_truncated", outcome: "unknown" });
  });

  it("continues from --context, and from a file with --load", async () => {
    const { emulator, env } = await startEmulator();
    const file = temporaryFile("chat.json");
    const first = await serviceapi(["chat", "--json"], { env, stdin: `One\n/save ${file}\n` });
    const { context_token } = JSON.parse(first.stdout);
    const second = await serviceapi(["chat", "--context", context_token], { env, stdin: "Two\nThree\n" });
    expect(second.stdout).toMatch(/Turn \*\*2\*\*[\s\S]*Turn \*\*3\*\*/);
    const third = await serviceapi(["chat", "--load", file], { env, stdin: "Two again\n" });
    expect(third.stdout).toMatch(/Turn \*\*2\*\*/);
    expect(emulator.requests).toHaveLength(4);
  });

  it("refuses what it cannot use, with exit code 2", async () => {
    const { env } = await startEmulator();
    const file = temporaryFile("chat.json");
    writeFileSync(file, '{"version":7}');
    const runs: readonly (readonly [RegExp, ...string[]])[] = [
      [/chat reads its questions there/, "--secret-stdin"],
      [/--context has no effect with --load/, "--load", file, "--context", "svc_1"],
      [/not a saved conversation/, "--load", file],
      [/does not exist/, "--load", "/no/such/file"],
    ];
    for (const [message, ...flags] of runs) {
      const { stderr, code } = await serviceapi(["chat", ...flags], { env, stdin: "x" });
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    }
    expect((await serviceapi(["chat"], { env, stdin: "/nothing\n" })).code).toBe(2);
    const { SERVICEAPI_CLIENT_SECRET: _, ...incomplete } = env;
    const { stderr, code } = await serviceapi(["chat"], { env: incomplete, stdin: "" });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/client secret is missing/)]);
  });
});
