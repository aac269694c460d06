/** Run by lifetimes.test.ts in a separate Vitest: its test passes, and leaves a rejection that nobody handles. */
import { it } from "vitest";

it("leaves a rejection", () => void Promise.reject(new Error("nobody handles it")));
