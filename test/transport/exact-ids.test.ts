import { describe, expect, it } from "vitest";
import { quoteLargeIds } from "../../src/transport/read-body.ts";

const read = (text: string) => JSON.parse(quoteLargeIds(text));

describe("a booking ID that a number cannot hold is read digit by digit", () => {
  it.each(["booking_id", "bookingId", "BOOKING-ID", "booking id"])("under the name %s", (name) => {
    expect(read(`{"data":{"${name}" : 9007199254740993 }}`)).toEqual({ data: { [name]: "9007199254740993" } });
    expect(read(`{"${name}":123456789012345678901234567890,"a":1}`)[name]).toBe("123456789012345678901234567890");
  });

  it.each([
    ['{"booking_id":9007199254740991}', "one that a number holds"],
    ['{"booking_id":"9007199254740993"}', "a string"],
    ['{"booking_id":9007199254740993.5}', "a fraction"],
    ['{"amount":9007199254740993}', "another number"],
    ['{"message":"\\"booking_id\\":9007199254740993,"}', "a string that quotes JSON"],
    ['{"message":"\\\\\\"booking_id\\":9007199254740993}"}', "a string that quotes a quotation"],
  ])("and %s is left as it is: %s", (text) => {
    expect(quoteLargeIds(text)).toBe(text);
  });

  it("one of millions of digits is left to JSON.parse, and so is one that is not JSON", () => {
    expect(read(`{"pnr":"ABC123","booking_id":1${"0".repeat(12_000_000)}}`).pnr).toBe("ABC123");
    expect(() => read('{"booking_id":009007199254740993}')).toThrow(SyntaxError);
  });
});
