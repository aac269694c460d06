import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { adviceToAccept } from "../../../src/cli/flights/show/booking.ts";
import { closing } from "../../../src/cli/flights/show/bookings.ts";
import type { PassengerIssue } from "../../../src/flights/index.ts";

it("a document that the airline needs can be added to the request", () => {
  const issue = { severity: "error", path: [], message: "" } as const;
  expect(adviceToAccept([{ ...issue, code: "passport_required_at_book" } as PassengerIssue])).toBe(
    "Correct them, add documents with --extra-body <file>, or accept what is right all the same: --accept-issues passport_required_at_book",
  );
});

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
