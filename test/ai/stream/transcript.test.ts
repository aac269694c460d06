import { describe, expect, it } from "vitest";
import { Transcript } from "../../../src/ai/stream/transcript.ts";
import { chunk, completed, initiated } from "../events.ts";

/** The transcript of chunks and a completed text. */
function transcriptOf(chunks: readonly string[], text: string, maxLength = 1_000): Transcript {
  const transcript = new Transcript(maxLength);
  for (const part of chunks) transcript.add(chunk(1, part));
  const last = completed(text);
  transcript.add(last);
  transcript.response = last;
  return transcript;
}

describe("a transcript", () => {
  it("counts events, joins the chunks and keeps the last token", () => {
    const transcript = new Transcript(1_000);
    for (const event of [initiated(), chunk(1, "fare "), chunk(2, "quote")]) transcript.add(event);
    expect(transcript).toMatchObject({ events: 3, text: "fare quote", contextToken: initiated().context_token });
  });

  it.each<[string, string[], string, boolean, string]>([
    ["equals the chunks", ["fare ", "quote"], "fare quote", false, ""],
    ["continues the chunks", ["fare "], "fare quote", true, "quote"],
    ["differs from the chunks", ["fair "], "fare quote", true, ""],
    ["comes without chunks", [], "fare quote", false, "fare quote"],
  ])("of a completed text that %s", (_case, chunks, text, textMismatch, remainder) => {
    expect(transcriptOf(chunks, text)).toMatchObject({ text, textMismatch, remainder });
  });

  it("keeps no more than its maximum length, and does not mistake truncated text for the whole", () => {
    const transcript = new Transcript(6);
    for (const part of ["fare ", "quote"]) transcript.add(chunk(1, part));
    expect(transcript.text).toBe("fare q");
    expect(transcriptOf(["fare ", "quote"], "fare q", 6)).toMatchObject({ textMismatch: true, remainder: "" });
  });

  it("has the text of a completed event that was not read, and no response", () => {
    const transcript = new Transcript(1_000);
    transcript.addUnread(chunk(1, "fare "));
    transcript.addUnread(completed("fare quote"));
    expect(transcript).toMatchObject({ events: 2, text: "fare quote", response: undefined });
  });
});
