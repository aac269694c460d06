import { fstatSync } from "node:fs";
import { ConfigurationError } from "../../errors/request.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { clientOptions, collect, declareCommand, jsonOption, option, refuseCredentials } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { readStdin } from "../shared/input.ts";
import { printJson, printJsonLine, printNote } from "../shared/print.ts";
import { interruptible } from "../shared/process.ts";
import { contextOption, printContext, showStream } from "./view.ts";

export const addAsk = declareCommand("ask", {
  description: "ask a question, and show the response while it is written",
  args: { "[question...]": "the question; - stands for standard input, which is also read without a question" },
  options: [
    option(
      "--image <url>",
      "image to ask about: .jpg, .jpeg, .png, .webp or .gif; several times for several images",
      (url, before?: readonly string[]) => collect(refuseCredentials(url), before),
    ),
    contextOption,
    option("--reference <text>", "client_referenceId, at most 30 characters (default: a new one)"),
    jsonOption("print the complete response as one JSON document"),
    option("--events", "print each event of the stream as a line of JSON"),
    ...clientOptions,
  ],
  examples: `
  $ npx serviceapi ask "Plan a day in Pune"
  $ cat notes.md | npx serviceapi ask "Summarize these notes" -
  $ npx serviceapi ask "What is on it?" --image https://images.example/menu.png
  $ npx serviceapi ask "And on Sunday?" --context svc_4kq
  $ npx serviceapi ask "Plan a day in Pune" --json | jq -r .system.text
`,
  lists: environmentHelp,
  unused: ({ events }) => [events === true && ["with --events", "json"]],
  async run(flags, words) {
    const text = await readQuestion(words, flags.secretStdin);
    const { ai } = await createClient(flags);
    const { image: images, context: context_token, reference: client_referenceId } = flags;
    const params = { user: images === undefined ? { text } : { text, images }, context_token, client_referenceId };
    return interruptible(async (signal) => {
      try {
        if (flags.events) {
          for await (const event of ai.stream(params, { signal })) printJsonLine(event);
        } else if (flags.json) {
          printJson(await ai.createResponse(params, { signal }));
        } else {
          const stream = ai.stream(params, { signal });
          await showStream(stream);
          printContext(stream.contextToken);
        }
        return exitCodes.done;
      } catch (error) {
        // The text so far stays. There is nothing to explain.
        if (signal.aborted) return exitCodes.interrupted;
        throw error;
      }
    });
  },
});

/**
 * Whether a shell has connected standard input with a pipe or a file. What a pipe holds is not looked at: a loop of the
 * shell may read its next line from it.
 */
function isRedirected(): boolean {
  try {
    const stdin = fstatSync(0);
    return stdin.isFIFO() || (stdin.isFile() && stdin.size > 0);
  } catch {
    return false;
  }
}

/** Returns the words as they were typed, with standard input in place of `-`. */
async function readQuestion(words: readonly string[], secretStdin = false): Promise<string> {
  const given = words.length === 0 && !process.stdin.isTTY ? ["-"] : words;
  if (given.length === 0) throw new ConfigurationError('No question. Pass it as an argument: npx serviceapi ask "…".');
  const at = given.indexOf("-");
  if (at === -1) {
    if (!secretStdin && isRedirected()) printNote("Standard input was not read: pass - to include it in the question.");
    return given.join(" ");
  }
  if (secretStdin) {
    throw new ConfigurationError(
      "--secret-stdin reads standard input, so the question cannot. Set SERVICEAPI_CLIENT_SECRET.",
    );
  }
  const parts = [given.slice(0, at).join(" "), (await readStdin()).trim(), given.slice(at + 1).join(" ")];
  return parts.filter(Boolean).join("\n\n");
}
