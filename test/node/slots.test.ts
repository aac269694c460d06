import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Route } from "../../src/node/connect.ts";
import { RouteSlots } from "../../src/node/slots.ts";

const route: Route = { host: "api.example.com", port: 443, tls: undefined, proxy: undefined };

describe("the slots of a route", () => {
  it("are forgotten when no request has one, and kept while one has", async () => {
    const slots = new RouteSlots(2);
    const first = slots.of(route);
    await first.take(undefined);
    await first.take(undefined);
    first.release();
    expect(slots.of(route)).toBe(first);
    first.release();
    expect(slots.of(route)).not.toBe(first);
  });

  it("are not lost to a request that was aborted while it waited", async () => {
    const one = new RouteSlots(1).of(route);
    await one.take(undefined);
    const controller = new AbortController();
    const aborted = one.take(controller.signal);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    one.release();
    await one.take(undefined);
  });

  it("leave no listener on the signal of a request that waited, whether it got one or not", async () => {
    const slots = new RouteSlots(1);
    const one = slots.of(route);
    await one.take(undefined);
    const { signal } = new AbortController();
    const next = one.take(signal);
    const last = one.take(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(2);
    one.release();
    await next;
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    slots.close(new Error("closed"));
    await expect(last).rejects.toThrow("closed");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("pass on to the request that waits longest, and reject those that wait at the end", async () => {
    const slots = new RouteSlots(1);
    const one = slots.of(route);
    await one.take(undefined);
    const order: string[] = [];
    const second = one.take(undefined).then(() => order.push("second"));
    const third = one.take(undefined).catch((error: Error) => order.push(error.message));
    one.release();
    await second;
    slots.close(new Error("closed"));
    await third;
    expect(order).toEqual(["second", "closed"]);
  });
});
