/** Run by lifetimes.test.ts in a separate Vitest: the first tests leave something behind, the last ones do not. */
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

it("leaves a timer", () => void setTimeout(() => {}, 60_000).unref());

it("leaves a server", () => void createServer().listen(0));

it.concurrent("leaves an interval beside others", async () => void setInterval(() => {}, 60_000));
it.concurrent("runs beside it, and ends last", async () =>
  void (await new Promise((resolve) => setTimeout(resolve, 50))));

let shared: Server;
beforeAll(() => {
  shared = createServer().listen(0);
});
afterAll(() => void shared.close());

it("uses the server of the file", () => expect(shared.listening).toBe(true));

it("closes its own in onTestFinished", () => {
  const own = createServer().listen(0);
  onTestFinished(() => void own.close());
});
