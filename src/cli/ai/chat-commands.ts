import type { DescriptionList } from "../shared/description-list.ts";

/** The commands of a chat. */
export const commandHelp: DescriptionList = {
  title: "Commands",
  items: [
    ["/image [url]", "ask the next question about an image; without a URL, about none"],
    ["/new", "start a new conversation"],
    ["/save <file>", "write the conversation to a file"],
    ["/load <file>", "continue a conversation that was saved"],
    ["/help", "list the commands"],
    ["/quit", "end, as Ctrl-D does"],
    ["//…", "a question that begins with a slash"],
  ],
};

/** A line that was entered: a question, or a command with its argument. */
export type Line = { readonly question: string } | { readonly command: string; readonly argument: string };

/** Reads a line. Two slashes begin a question that begins with one. */
export function readLine(text: string): Line {
  if (text.startsWith("//")) return { question: text.slice(1) };
  const [, command, argument = ""] = /^\/(\S*)(?:\s+(.*))?$/s.exec(text) ?? [];
  return command === undefined ? { question: text } : { command, argument: argument.trim() };
}
