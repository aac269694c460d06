import { expect, it } from "vitest";
import { maskAddress, maskMessage, maskName, maskNumber } from "../../../src/cli/shared/mask.ts";

it.each([
  [maskNumber, "9876540001", "98••••••01"],
  [maskNumber, "1234", "••••"],
  [maskNumber, "", ""],
  [maskNumber, "9".repeat(500), `99${"•".repeat(12)}99`],
  [maskAddress, "9876540001@ybl", "98••••••01@ybl"],
  [maskAddress, "ada@mail.example", "•••@mail.example"],
  [maskAddress, "no address", "no••••••ss"],
  [maskName, "ASHA RAO", "A••• R••"],
  [maskName, "अ 👩‍🚀x", "अ 👩•••"],
  [maskMessage, "No UPI ID for +91 98765 40001", "No UPI ID for +9•••••••••••01"],
  [maskMessage, "ask asha.rao@mail.example, code 404", "ask as••••ao@mail.example, code 404"],
  [maskMessage, "costs INR 748000, above INR 700000.50", "costs INR 748000, above INR 700000.50"],
  [maskMessage, "a time such as 2027-02-10 06:15:00", "a time such as 2027-02-10 06:15:00"],
  [maskMessage, "born 1988-07-14, call 6000000001", "born 19••••••14, call 60••••••01"],
  [maskMessage, "reference 01JD3V9W0X2YZ4567890ABCDEF at 12:30", "reference 01JD3V9W0X2YZ4567890ABCDEF at 12:30"],
])("%o masks %j as %j", (mask, text, masked) => {
  expect(mask(text)).toBe(masked);
});
