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
  [maskNumber, "𝟗𝟖𝟕𝟔𝟓𝟒", "𝟗••••𝟒"],
  [maskName, "ASHA RAO", "A••• R••"],
  [maskName, "अ 👩‍🚀x", "अ 👩•••"],
  [maskMessage, "No UPI ID for +91 98765 40001", "No UPI ID for +9•••••••••••01"],
  [maskMessage, "ask asha.rao@mail.example, code 404", "ask as••••ao@mail.example, code 404"],
  [maskMessage, "costs INR 748000, above INR 700000.50", "costs INR 748000, above INR 700000.50"],
  [maskMessage, "a time such as 2027-02-10 06:15:00", "a time such as 2027-02-10 06:15:00"],
  [maskMessage, "born 1988-07-14, call 6000000001", "born 19••••••14, call 60••••••01"],
  [maskMessage, "VPA 9876540001, VPA 98 76 54 00 01", "VPA 98••••••01, VPA 98••••••••••01"],
  [maskMessage, "call ९८७६५४०००१ or ９８７６５４０００１", "call ९८••••••०१ or ９８••••••０１"],
  [
    maskMessage,
    "+91 (98765) 400-01, 98765.40001, 98765\u00a040001, 98765,40001",
    "+9••••••••••••01, 98•••••••01, 98•••••••01, 98•••••••01",
  ],
  [maskMessage, "born 14.07.1988 or 14/07/1988", "born 14••••••88 or 14••••••88"],
  [maskMessage, "mobile:9876540001 TXN9876540001x no-9876540001", "mobile:98••••••01 TXN98••••••01x no-98••••••01"],
  [maskMessage, "आशा.राव@ybl, asha.rao＠ybl", "आ•••••व@ybl, as••••ao＠ybl"],
  [maskMessage, "INR 9876540001, ₹7,48,000.50, 748000 INR", "INR 98••••••01, ₹7,48,000.50, 7••••0 INR"],
  [maskMessage, 'such as "7600 INR" or "7600.50 INR"', 'such as "7600 INR" or "7600.50 INR"'],
  [maskMessage, '{ amount: "7600.00" }, 1,500.50', '{ amount: "7600.00" }, 1,500.50'],
  [maskMessage, "call 98765.40 001 or 98765.40-001", "call 98••••••••01 or 98••••••••01"],
  [maskMessage, "9876540001.50, 98765.400", "98•••••••••50, 98•••••00"],
  [maskMessage, "at 2027-02-11T12:00Z, 2027-02-11T12:00+05:30", "at 2027-02-11T12:00Z, 2027-02-11T12:00+05:30"],
  [maskMessage, "more than 16777216 bytes in 600000 ms", "more than 16777216 bytes in 600000 ms"],
  [maskMessage, "10.20.130.240:34567, code 404, 500 or 503", "10.20.130.240:34567, code 404, 500 or 503"],
  [maskMessage, "under client_referenceId order-20261122. Look", "under client_referenceId order-20261122. Look"],
  [maskMessage, "3f2504e0-4f89-11d3-9a0c-030511111111", "3f2504e0-4f89-11d3-9a0c-030511111111"],
  [maskMessage, "reference 01JD3V9W0X2YZ4567890ABCDEF at 12:30", "reference 01JD3V9W0X2YZ4567890ABCDEF at 12:30"],
])("%o masks %j as %j", (mask, text, masked) => {
  expect(mask(text)).toBe(masked);
});
