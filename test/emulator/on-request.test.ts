import { describe, expect, it } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import type { RequestLine } from "../../src/emulator/options.ts";
import { baseUrl, caught, lookUp, now, post } from "./helpers.ts";

describe("onRequest of the emulator", () => {
  it("is called for every request, even a dropped one, with names and times alone", async () => {
    const lines: RequestLine[] = [];
    const emulator = createEmulator({ now, pace: 0, onRequest: (line) => lines.push(line) });
    const path = "verification/upimobile_multiple";
    await post(emulator, path, lookUp("9876540001"));
    await emulator.fetch(`${baseUrl}/nowhere?vpa_mobile=9876540001`);
    await caught(post(emulator, path, lookUp("9876540001"), { "X-Emulator-Response": "reset" }));

    const duration = expect.any(Number);
    expect(lines).toEqual([
      { method: "POST", operation: "verification.findVpas", status: 200, duration },
      { method: "GET", operation: "/nowhere", status: 404, duration },
      { method: "POST", operation: "verification.findVpas", status: undefined, duration },
    ]);
  });

  it("changes no response if it throws or rejects", async () => {
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on("unhandledRejection", note);
    const failing = () => {
      throw new Error("the log is full");
    };
    for (const onRequest of [failing, async () => failing()]) {
      const emulator = createEmulator({ now, onRequest });
      expect((await post(emulator, "verification/upimobile_multiple", lookUp("9876540001"))).status).toBe(200);
    }
    await new Promise(setImmediate);
    process.off("unhandledRejection", note);
    expect(rejections).toEqual([]);
  });
});
