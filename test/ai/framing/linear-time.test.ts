import { expect, it } from "vitest";
import { DetectedFraming } from "../../../src/ai/framing/detect.ts";
import { Utf8Decoder } from "../../../src/ai/framing/utf8.ts";
import { cpuTime } from "../../support/cpu-time.ts";
import { framings } from "../support.ts";

const mebibyte = 1_048_576;

/** Returns the number of frames in a body that comes in chunks of 256 bytes. */
function countFrames(body: string, contentType: string): number {
  const framing = new DetectedFraming(contentType, 8 * mebibyte);
  const utf8 = new Utf8Decoder();
  const bytes = new TextEncoder().encode(body);
  const pieces = [];
  for (let i = 0; i < bytes.length; i += 256) {
    pieces.push(...framing.push(utf8.decode(bytes.subarray(i, i + 256)).text));
  }
  pieces.push(...framing.end());
  return pieces.filter(({ kind }) => kind !== "error" && kind !== "end").length;
}

it.each(["SSE with LF", "NDJSON"])("an event of 4 MiB in pieces of 256 bytes takes linear time: %s", (name) => {
  const { contentType, encode } = framings[name] ?? expect.unreachable();
  const time = (bytes: number) => {
    const body = encode([{ t: "x".repeat(bytes) }]);
    const startedAt = cpuTime();
    expect(countFrames(body, contentType)).toBe(1);
    return cpuTime() - startedAt;
  };
  time(mebibyte);
  // Quadratic time would be 16 times as long, and minutes.
  expect(time(4 * mebibyte)).toBeLessThan(Math.max(8 * time(mebibyte), 500));
});
