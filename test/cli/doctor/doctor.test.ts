import { spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { credentials, doctor, service } from "./support.ts";

describe("serviceapi doctor", () => {
  it("checks machine, settings and the way to the service, with one GET request without credentials", async () => {
    const { env, requests, port } = await service();
    const { code, stdout } = await doctor([], env);
    expect(code).toBe(0);
    const stable = stdout
      .replace(/Node [\d.]+, serviceapi [\d.]+/, "Node <version>, serviceapi <version>")
      .replace(/after \d+ ms/, "after <n> ms")
      .replaceAll(String(port), "<port>");
    expect(stable).toMatchInlineSnapshot(`
      "This machine
        ✔ runtime            Node <version>, serviceapi <version>

      Settings
        ✔ base URL           set, from SERVICEAPI_BASE_URL
        ✔ client ID          set, from SERVICEAPI_CLIENT_ID
        ✔ client secret      set, from SERVICEAPI_CLIENT_SECRET
        – webhook secret     not checked: not set
                             → Set SERVICEAPI_WEBHOOK_SECRET if this machine receives
                             webhooks whose secret comes from there.

      The way to the service
        ✔ proxy              none in the environment
        – name (DNS)         not checked: the base URL has an IP address for its host
        ✔ connection (TCP)   port <port> is open
        – certificate (TLS)  not checked: the base URL is http: the client secret is
                             sent in clear, which is for tests only
        ✔ response (HTTP)    HTTP 404 after <n> ms, to a GET without credentials
        ✔ clock              agrees with the clock of the service, to 1 s

      Access
        – credentials        not checked: no call of the service was made
                             → Only a call can show it: npx serviceapi doctor --live
                             --refusal makes one that is harmless.
        – IP address         not checked: no call of the service was made
                             → This machine cannot know the public IP address that the
                             service sees. It is the address of the NAT gateway, proxy
                             or load balancer in front: read it in the console of your
                             cloud, ask the people who run the network, and have it
                             whitelisted. npx serviceapi doctor --live --refusal makes
                             a harmless call that shows whether it is accepted.

      ✔ nothing wrong found: 0 failed, 0 warnings, 5 not checked; the credentials were
      not checked
      "
    `);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /"]);
    expect(requests.flatMap(({ headers }) => Object.keys(headers))).not.toContain("client-secret");
    for (const value of [...Object.values(credentials), "127.0.0.1"]) expect(stdout).not.toContain(value);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a pipe gets no colours
    expect(stdout).not.toMatch(/\u001b/);
  });

  it.runIf(process.platform === "linux")("fits into a narrow terminal, and colours its titles there", async () => {
    const { env } = await service();
    const command = `stty cols 70; exec "${process.execPath}" dist/cli/main.js doctor`;
    const { stdout: output } = spawnSync("script", ["-qec", command, "/dev/null"], {
      env: { TERM: "xterm-256color", PATH: process.env.PATH, ...env, SERVICEAPI_BASE_URL: "http://127.0.0.1:9" },
      encoding: "utf8",
    });
    const lines = stripVTControlCharacters(output).split(/\r?\n/);
    expect(lines.filter((line) => line.length > 70)).toEqual([]);
    expect(lines).toEqual(expect.arrayContaining(["The way to the service"]));
    expect(output).toContain("\u001b[1mSettings");
  });
});
