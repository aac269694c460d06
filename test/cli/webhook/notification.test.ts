import { Command } from "commander";
import { expect, it } from "vitest";
import { readNotification } from "../../../src/cli/webhook/notification.ts";

it("a notification without --reference has a new one, of the form that the library gives its own", async () => {
  const read = async () => JSON.parse(await readNotification({ status: "SUCCESS" }, new Command()));
  const references = [await read(), await read()].map((event) => event.client_referenceId);
  expect(references).toEqual([expect.stringMatching(/^[0-9A-Z]{26}$/), expect.stringMatching(/^[0-9A-Z]{26}$/)]);
  expect(new Set(references).size).toBe(2);
});
