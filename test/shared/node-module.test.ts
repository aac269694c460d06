import { describe, expect, it, vi } from "vitest";
import { nodeModule, requireNodeModule } from "../../src/shared/node-module.ts";
import { hmac, Webhooks } from "../../src/webhooks/index.ts";

describe("a module of Node, on a runtime that may not have it", () => {
  it("is returned if the runtime has it", () => {
    expect(nodeModule("node:crypto")).toHaveProperty("createHmac");
    expect(nodeModule("node:nonsense")).toBeUndefined();
  });

  it("that something needs is named by the error if it is missing", () => {
    expect(requireNodeModule("node:crypto", "it")).toHaveProperty("createHmac");
    expect(() => requireNodeModule("node:nonsense", "it")).toThrow("it needs node:nonsense, which this runtime does");
  });

  it.each([
    ["no process", undefined],
    ["an empty process", {}],
    [
      "a process whose property throws when it is read, as on Next.js's edge runtime",
      Object.defineProperty({}, "getBuiltinModule", {
        get() {
          throw new Error("A Node.js API is used (process.getBuiltinModule) which is not supported");
        },
      }),
    ],
  ])("is undefined with %s, and hmac() uses WebCrypto", async (_, process) => {
    vi.stubGlobal("process", process);
    const missing = nodeModule("node:crypto");
    const webhooks = new Webhooks({ auth: [hmac({ header: "x-signature", secrets: ["k"] })] });
    const delivery = await webhooks.sign({ status: "DUPLICATE", client_referenceId: "po-1" });
    const event = await webhooks.verify(delivery);
    vi.unstubAllGlobals();
    expect(missing).toBeUndefined();
    expect(event).toMatchObject({ client_referenceId: "po-1" });
  });
});
