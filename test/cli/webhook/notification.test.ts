import { Command } from "commander";
import { expect, it } from "vitest";
import { notificationOptions, readNotification } from "../../../src/cli/webhook/sign.ts";
import { payoutEvent } from "../../../src/emulator/deliveries/payout-event.ts";

it("a notification without --reference has a new one, of the form that the library gives its own", async () => {
  const read = async () => JSON.parse(await readNotification({ status: "SUCCESS" }));
  const references = [await read(), await read()].map((event) => event.client_referenceId);
  expect(references).toEqual([expect.stringMatching(/^[0-9A-Z]{26}$/), expect.stringMatching(/^[0-9A-Z]{26}$/)]);
  expect(new Set(references).size).toBe(2);
});

it("a notification for the same --reference is the same, so that firing it again is a redelivery and no conflict", async () => {
  const read = (reference: string) => readNotification({ status: "SUCCESS", reference });
  expect(await read("order-17")).toBe(await read("order-17"));
  const { transactionId, utr } = JSON.parse(await read("order-17"));
  expect(JSON.parse(await read("order-18"))).not.toMatchObject({ transactionId });
  expect(JSON.parse(await read("order-18"))).not.toMatchObject({ utr });
});

it.each(["SUCCESS", "FAILED"] as const)(
  "a notification of %s without --amount has the amount of the help",
  async (status) => {
    const command = new Command();
    for (const option of notificationOptions) command.addOption(option);
    const [, amount] = /txn_amount \(default: (\d+)\)/.exec(command.helpInformation()) ?? [];
    expect(JSON.parse(await readNotification({ status })).txn_amount).toBe(Number(amount));
    expect(payoutEvent({}, 0).txn_amount).toBe(Number(amount));
  },
);
