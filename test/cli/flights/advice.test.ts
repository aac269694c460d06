import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { closing } from "../../../src/cli/flights/show/bookings.ts";

describe("the commands that close a booking", () => {
  it.each(["order-17", "order 17", "o'17; echo $HOME `id` #"])(
    "lead to %j when they are pasted into a shell",
    (reference) => {
      const [, , command = ""] = closing(reference, "", undefined);
      const pasted = command.replace("npx serviceapi", "printf '%s\\n'");
      const words = execFileSync("sh", ["-c", pasted], { encoding: "utf8" }).trimEnd().split("\n");
      expect(words).toEqual(["bookings", "reconcile", reference, "--not-booked"]);
    },
  );
});
