import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { connect, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { pause } from "../../../src/emulator/http/wait.ts";
import { sleep } from "../../../src/shared/promises.ts";
import config from "../../../vitest.config.ts";
import { type ProgramResult, runProgram } from "../program.ts";
import { leftSince, lookAround } from "./leftovers.ts";

const vitest = fileURLToPath(new URL("../../../node_modules/vitest/vitest.mjs", import.meta.url));

const hidden = { configurable: true, writable: true, enumerable: false };

/** Things that a test may leave behind, each with its name in the message; `remove` takes them away. */
const plants: Readonly<Record<string, () => Promise<{ readonly words: RegExp; readonly remove: () => unknown }>>> = {
  "a timer": async () => {
    const timer = setTimeout(() => {}, 60_000);
    return {
      words: /^a timer, set by .*test\/support\/lifetimes\/lifetimes\.test\.ts$/,
      remove: () => clearTimeout(timer),
    };
  },
  "a timer that does not keep the process alive": async () => {
    const timer = setTimeout(() => {}, 60_000).unref();
    return { words: /^a timer/, remove: () => timer.close() };
  },
  "an interval": async () => {
    const timer = setInterval(() => {}, 60_000);
    return { words: /^a timer/, remove: () => clearInterval(timer) };
  },
  "a server": async () => {
    const server = createServer().listen(0);
    await once(server, "listening");
    return { words: /^an open Server$/, remove: () => server.close() };
  },
  "a socket": async () => {
    const server = createServer().listen(0);
    await once(server, "listening");
    const socket = connect((server.address() as { port: number }).port);
    await once(socket, "connect");
    return { words: /^an open Socket \d+ → \d+$/, remove: () => [socket.destroy(), server.close()] };
  },
  "a child process": async () => {
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
    return { words: /^an open ChildProcess .*setTimeout/, remove: () => child.kill() };
  },
  "an open port": async () => {
    const { port1 } = new MessageChannel();
    port1.onmessage = () => {};
    return { words: /^an open MessagePort$/, remove: () => port1.close() };
  },
  "a watched folder": async () => {
    const watcher = watch(".");
    return { words: /^an open FSWatcher$/, remove: () => watcher.close() };
  },
  "a listener on a signal of the test": async () => {
    const controller = new AbortController();
    const waiting = pause(60_000, controller.signal).catch(() => {});
    return { words: /^a listener on a signal, added by .*wait\.ts$/, remove: () => [controller.abort(), waiting] };
  },
  "a listener on a signal that follows others": async () => {
    const controller = new AbortController();
    const waiting = pause(60_000, AbortSignal.any([controller.signal])).catch(() => {});
    return { words: /^a listener on a signal, added by .*wait\.ts$/, remove: () => [controller.abort(), waiting] };
  },
  "a listener on a signal with a timeout": async () => {
    const waiting = pause(4_000, AbortSignal.timeout(60_000));
    return { words: /^a listener on a signal, added by .*wait\.ts$/, remove: () => waiting };
  },
  "a listener on the process": async () => {
    const listener = () => {};
    process.on("SIGTERM", listener);
    return { words: /^a listener on SIGTERM of the process$/, remove: () => process.off("SIGTERM", listener) };
  },
  "a spy on a global function": async () => {
    const spy = vi.spyOn(globalThis, "atob");
    return { words: /^a changed atob$/, remove: () => spy.mockRestore() };
  },
  "a fake clock": async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    return { words: /^a changed Date$/, remove: () => vi.useRealTimers() };
  },
  "a global function that is gone": async () => {
    const { structuredClone } = globalThis;
    Reflect.deleteProperty(globalThis, "structuredClone");
    return {
      words: /^a changed structuredClone$/,
      remove: () => Object.defineProperty(globalThis, "structuredClone", { value: structuredClone, ...hidden }),
    };
  },
  "a method of its own on crypto": async () => {
    Object.defineProperty(crypto, "randomUUID", { value: () => "", ...hidden });
    return { words: /^a changed crypto\.randomUUID$/, remove: () => Reflect.deleteProperty(crypto, "randomUUID") };
  },
  "a stopped clock": async () => {
    const spy = vi.spyOn(performance, "now").mockReturnValue(0);
    return { words: /^a changed [Pp]erformance\.now$/, remove: () => spy.mockRestore() };
  },
  "a variable of the environment": async () => {
    process.env.SERVICEAPI_PLANTED = "1";
    return {
      words: /^a changed environment$/,
      remove: () => Reflect.deleteProperty(process.env, "SERVICEAPI_PLANTED"),
    };
  },
  "another Math.random": async () => {
    const spy = vi.spyOn(Math, "random").mockReturnValue(0);
    return { words: /^a changed Math\.random$/, remove: () => spy.mockRestore() };
  },
};

describe("a test that leaves something behind", () => {
  it.each(Object.entries(plants))("is found with %s, and clean without it", async (_, plant) => {
    const before = lookAround();
    const { words, remove } = await plant();
    const found = await leftSince(before, 50);
    expect(found).toContainEqual(expect.stringMatching(words));
    await remove();
    expect(await leftSince(before)).toEqual([]);
  });

  it("is given time for what ends soon", async () => {
    const before = lookAround();
    const ended = sleep(100);
    expect(await leftSince(before)).toEqual([]);
    await ended;
  });

  it("does not count what was there before, and its connections", async () => {
    const server = createServer().listen(0);
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const before = lookAround();
    const client = spawn(process.execPath, ["-e", `require("net").connect(${port})`], { stdio: "ignore" });
    await once(server, "connection");
    expect(await leftSince({ ...before, running: new Map([...before.running, [client, () => ""]]) }, 50)).toEqual([]);
    client.kill();
    server.close();
  });

  it("fails, and the next one does not: every test file has the hook", async () => {
    expect(config.test?.setupFiles).toContain("test/support/lifetimes/watch.ts");
    const { exitCode, output } = await runPlanted("leaking");
    const results = output.matchAll(/^ *([✓×]) .* > (.*?) \d+ms$/gm);
    expect([exitCode, Array.from(results, ([, mark, title]) => `${mark} ${title}`)]).toEqual([
      1,
      [
        "× leaves a timer",
        "× leaves a server",
        "✓ leaves an interval beside others",
        "× runs beside it, and ends last",
        "✓ uses the server of the file",
        "✓ closes its own in onTestFinished",
      ],
    ]);
  });

  it("fails the run with a rejection that nobody handles", async () => {
    const { exitCode, output } = await runPlanted("rejecting");
    expect([exitCode, output]).toEqual([1, expect.stringContaining("Error: nobody handles it")]);
  });
});

function runPlanted(name: string): Promise<ProgramResult> {
  const args = ["run", "--config", "test/support/lifetimes/planted/vitest.config.ts", name];
  return runProgram(vitest, args, { NO_COLOR: "1" });
}
