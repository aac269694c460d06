import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cert, startTls } from "../../node/tls-server.ts";
import { startServer } from "../../support/server.ts";
import { credentials, doctor, type JsonReport, report, states } from "./support.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "doctor-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file of this test, and returns its path. */
function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/** Starts a server that responds to everything with a status and headers. */
async function service(status = 404, headers: Record<string, string> = {}) {
  const server = await startServer((response) => response.writeHead(status, headers).end());
  return { ...server, env: { ...credentials, SERVICEAPI_BASE_URL: server.url } };
}

function check(json: JsonReport, name: string) {
  return json.checks.find((each) => each.name === name) ?? expect.fail(`no check is called ${name}`);
}

describe("serviceapi doctor", { timeout: 60_000 }, () => {
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
                             → Set SERVICEAPI_WEBHOOK_SECRET if this machine receives webhooks whose secret comes from there.
        ✔ timeout            not set: the default applies
        ✔ path prefixes      not set: the default applies
        ✔ hosts without TLS  not set: the default applies

      The way to the service
        ✔ proxy              none in the environment
        – name (DNS)         not checked: the base URL has an IP address for its host
        ✔ connection (TCP)   port <port> is open
        – certificate (TLS)  not checked: the base URL is http: the client secret is sent in clear, which is for tests only
        ✔ response (HTTP)    HTTP 404 after <n> ms, to a GET without credentials
        ✔ clock              agrees with that of the service, to 1 s

      Access
        – credentials        not checked: no call of the service was made, or none got through
                             → Only a call can show it: serviceapi doctor --live --refusal makes one that is harmless.
        – IP address         not checked: no call of the service was made, or none got through
                             → This machine cannot know the public IP address that the service sees. It is that of the NAT
                             gateway, proxy or load balancer in front: read it in the console of your cloud, ask whoever runs
                             the network, and have it whitelisted. serviceapi doctor --live --refusal makes a harmless call
                             that shows whether it is accepted.

      ✔ healthy: 0 failed, 0 warnings, 5 not checked
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

  it("teaches its flags and exit codes", async () => {
    const { code, stdout } = await doctor(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: serviceapi doctor [options]

      check settings, connection and clock; with --live, compare the service with
      docs/assumptions.md

      Options:
        --base-url <url>              base URL of the service (default:
                                      SERVICEAPI_BASE_URL)
        --client-id <id>              client ID (default: SERVICEAPI_CLIENT_ID)
        --secret-stdin                read the client secret from standard input
                                      instead of SERVICEAPI_CLIENT_SECRET
        --dotenv <file>               read environment variables from a file first,
                                      such as .env
        --timeout <ms>                timeout for a single attempt
        --path-prefix <area=path...>  path before the operations of verification, ai
                                      or flights
        --allow-http <host...>        hosts beside this machine that may be called
                                      without TLS
        --live                        make the calls that the flags below allow, and
                                      no others
        --refusal                     ask for a malformed mobile number, which nobody
                                      has, to see a refusal
        --verify <mobile>             verify a mobile number; needs --consent Y
        --consent <Y>                 the consent of the holder of the account that
                                      --verify asks about
        --ask [text]                  generate two AI responses, whole and as a stream
        --quote <trace_id token...>   quote a flight: the trace_id and the token of a
                                      search result
        --rules                       also look up the fare rules of the flight of
                                      --quote
        --leading-segment <name>      first path segment of the second published form
                                      of the AI path, if it is needed
        --idle-timeout <ms>           how long a stream may send nothing
        --json                        print JSON
        --markdown                    print what the calls showed as Markdown, ready
                                      for an issue
        -h, --help                    display help for command

      Examples
        serviceapi doctor                                              sends no credentials: one GET request to the base URL
        serviceapi doctor --live --refusal                             one harmless call: are credentials and IP address accepted?
        serviceapi doctor --live --refusal --ask --markdown            what the service does, for an issue
        serviceapi doctor --live --quote "$TRACE_ID" "$TOKEN" --rules  a flight of a search; nothing is booked

      Exit codes
        0  no check failed; warnings do not count
        1  a check failed, a call had no usable response, or an assumption is broken that the library does not adapt to
        2  an option is wrong; nothing was sent

      Environment
        SERVICEAPI_BASE_URL       base URL of the service, https
        SERVICEAPI_CLIENT_ID      client ID
        SERVICEAPI_CLIENT_SECRET  client secret; never an option, because every user of the machine can see those

      Also checked, never used
        SERVICEAPI_WEBHOOK_SECRET  secret of webhooks, one on each line
      "
    `);
  });
});

describe("settings of serviceapi doctor", { timeout: 60_000 }, () => {
  it("names where each comes from: flag, environment, standard input or file, and never a value or its length", async () => {
    const { url } = await service();
    const dotenv = file("sources.env", "SERVICEAPI_CLIENT_ID=from-file\nSERVICEAPI_WEBHOOK_SECRET=hunter2-hunter2\n");
    const { code, stdout } = await doctor(
      ["--json", "--base-url", url, "--dotenv", dotenv, "--secret-stdin", "--timeout", "5000"],
      {},
      "swordfish-1234\n",
    );
    const json: JsonReport = JSON.parse(stdout);
    expect(code).toBe(0);
    const details = ["base URL", "client ID", "client secret", "webhook secret", "timeout"].map((name) =>
      check(json, name),
    );
    expect(details.map(({ state, detail }) => `${state}: ${detail}`)).toEqual([
      "ok: set, from --base-url",
      "ok: set, from SERVICEAPI_CLIENT_ID in the file of --dotenv",
      "ok: set, from --secret-stdin",
      "ok: set, from SERVICEAPI_WEBHOOK_SECRET in the file of --dotenv",
      "ok: set, from --timeout",
    ]);
    for (const value of ["from-file", "hunter2", "swordfish", "14", "15"])
      expect(details.map((d) => d.detail).join()).not.toContain(value);
  });

  it("warns if the environment wins over the file, and about a variable that nothing reads", async () => {
    const { env } = await service();
    const dotenv = file("hidden.env", "SERVICEAPI_CLIENT_ID=another\nSERVICEAPI_BASEURL=https://api.example.com\n");
    const { code, json } = await report(["--dotenv", dotenv], env);
    expect(code).toBe(0);
    expect(check(json, "client ID")).toMatchObject({ state: "warning", detail: expect.stringContaining("no effect") });
    expect(check(json, "environment")).toMatchObject({ state: "warning", advice: "Did you mean SERVICEAPI_BASE_URL?" });
  });

  it.each([
    ["client ID", { SERVICEAPI_CLIENT_ID: "an-id\n" }, /begins or ends with white space/],
    ["client secret", { SERVICEAPI_CLIENT_SECRET: "schlüssel-1" }, /visible ASCII/],
    ["client secret", { SERVICEAPI_CLIENT_SECRET: "" }, /is missing/],
    ["base URL", { SERVICEAPI_BASE_URL: "http://api.example.com" }, /must be https/],
    ["base URL", { SERVICEAPI_BASE_URL: "https://me:pass@api.example.com" }, /user name or password/],
    ["base URL", { SERVICEAPI_BASE_URL: "https://api.example.com/v1/api/serviceapi-prod/api" }, /already ends in/],
    ["webhook secret", { SERVICEAPI_WEBHOOK_SECRET: "hunter2-hunter2\n" }, /white space/],
    ["webhook secret", { SERVICEAPI_WEBHOOK_SECRET: "whsec_%%%" }, /base64/],
  ])("finds a malformed %s (%j), and exits with 1", async (name, changes, reason) => {
    const { env } = await service();
    const { code, json, stdout } = await report([], { ...env, ...changes });
    expect([code, json.ok, check(json, name).state]).toEqual([1, false, "failed"]);
    expect(check(json, name).detail).toMatch(reason);
    expect(check(json, name).advice).toContain(Object.keys(changes)[0]);
    for (const value of Object.values(changes)) if (value.trim() !== "") expect(stdout).not.toContain(value.trim());
    const isUrl = name === "base URL";
    expect(states(json)["response (HTTP)"]).toBe(isUrl ? "notChecked" : "ok");
  });

  it("finds that nothing is set, and says how to set it", async () => {
    const { code, json } = await report([]);
    expect(code).toBe(1);
    expect(check(json, "base URL").advice).toBe("Set SERVICEAPI_BASE_URL, or pass --base-url.");
    expect(states(json)).toMatchObject({ clock: "notChecked", proxy: "notChecked", "IP address": "notChecked" });
  });

  it.each([
    [["--no-such-flag"], /unknown option/],
    [["--dotenv", tmpdir()], /could not be read/],
    [["--path-prefix", "flights"], /must be area=path/],
    [["--path-prefix", "flight=v1"], /did you mean "flights"/],
    [["--secret-stdin"], /standard input is empty/],
    [["--timeout", "soon"], /milliseconds/],
  ])("refuses %j with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await doctor(args);
    expect([code, stderr, stdout]).toEqual([2, expect.stringMatching(message), ""]);
  });

  it("prints such an error as JSON under --json", async () => {
    const { code, stdout } = await doctor(["--json", "--dotenv", tmpdir()]);
    expect([code, JSON.parse(stdout).error.kind]).toEqual([2, "configuration"]);
  });
});

describe("the way to the service", { timeout: 60_000 }, () => {
  it("is closed at a port that refuses, and at a name that does not resolve", async () => {
    const { close, env } = await service();
    await close();
    const refused = await report([], env);
    expect([refused.code, check(refused.json, "connection (TCP)").detail]).toEqual([
      1,
      expect.stringContaining("ECONNREFUSED"),
    ]);
    expect(check(refused.json, "clock").detail).toBe("connection (TCP) failed");
    const unknown = await report([], { ...credentials, SERVICEAPI_BASE_URL: "https://no-such-host.invalid" });
    expect([unknown.code, check(unknown.json, "name (DNS)").state]).toEqual([1, "failed"]);
    expect(check(unknown.json, "connection (TCP)").detail).toBe("name (DNS) failed");
  });

  it("is closed if nothing responds in time", async () => {
    const server = await startServer(() => {});
    const { code, json } = await report(["--timeout", "300"], { ...credentials, SERVICEAPI_BASE_URL: server.url });
    expect([code, check(json, "response (HTTP)").detail]).toEqual([1, "none came (no response in time)"]);
  });

  it.each([
    [200, "ok", 0],
    [403, "ok", 0],
    [301, "warning", 0],
    [502, "warning", 0],
    [407, "failed", 1],
  ])("takes HTTP %i as %s", async (status, state, expected) => {
    const { code, json } = await report([], (await service(status)).env);
    expect([states(json)["response (HTTP)"], code]).toEqual([state, expected]);
  });

  it.each([
    [30, "ok", 0],
    [-120, "warning", 0],
    [120, "warning", 0],
    [3_600, "failed", 1],
    [-3_600, "failed", 1],
  ])("compares the clock with the Date of the response: %i s are %s", async (seconds, state, expected) => {
    const date = new Date(Date.now() - seconds * 1_000).toUTCString();
    const { code, json } = await report([], (await service(404, { date })).env);
    expect([check(json, "clock").state, code]).toEqual([state, expected]);
    if (state !== "ok") expect(check(json, "clock").detail).toContain(seconds > 0 ? "ahead of" : "behind");
  });

  it("does not take a cached Date for that of the service", async () => {
    const headers = { date: new Date(Date.now() - 3_600_000).toUTCString(), age: "3600" };
    expect(states((await report([], (await service(404, headers)).env)).json).clock).toBe("ok");
  });

  it("cannot check the clock by a response without a Date", async () => {
    const server = await startServer((response) => {
      response.sendDate = false;
      response.end();
    });
    const { code, json } = await report([], { ...credentials, SERVICEAPI_BASE_URL: server.url });
    expect([check(json, "clock").state, code]).toEqual(["notChecked", 0]);
  });

  it("goes through the proxy of the environment, which the fetch of Node ignores", async () => {
    const proxy = await service();
    const env = { ...credentials, SERVICEAPI_BASE_URL: "http://127.0.0.1:9", HTTP_PROXY: proxy.url };
    const proxied = await report([], env);
    expect([proxied.code, states(proxied.json)]).toMatchObject([
      0,
      { proxy: "warning", "connection (TCP)": "notChecked", "response (HTTP)": "ok" },
    ]);
    expect(check(proxied.json, "proxy").advice).toContain("nodeFetch()");
    expect(proxy.requests.map(({ path }) => path)).toEqual(["http://127.0.0.1:9/"]);
    const used = await report([], { ...env, NODE_USE_ENV_PROXY: "1" });
    expect(check(used.json, "proxy").state).toBe("ok");
    const { env: direct } = await service();
    const excepted = await report([], { ...direct, HTTP_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
    expect(check(excepted.json, "proxy").detail).toBe("HTTP_PROXY is not for this host (NO_PROXY)");
    const wrong = await report([], { ...direct, HTTP_PROXY: "ftp://user:pass@proxy" });
    expect([wrong.code, check(wrong.json, "proxy").state, wrong.stdout.includes("pass@")]).toEqual([
      1,
      "failed",
      false,
    ]);
  });

  it.skipIf(process.platform === "win32")("is interrupted by Ctrl-C with exit code 130", async () => {
    const server = await startServer(() => {});
    const args = ["dist/cli/main.js", "doctor", "--base-url", server.url];
    const child = spawn(process.execPath, args, { env: { ...process.env, ...credentials }, stdio: "ignore" });
    await server.received(1);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
  });
});

describe("the certificate of the service", { timeout: 60_000 }, () => {
  const https = (port: number) => ({ ...credentials, SERVICEAPI_BASE_URL: `https://localhost:${port}` });

  /** Makes a key and a certificate with openssl. */
  function certificate(name: string, host: string, days: number) {
    const [keyFile, certFile] = [join(folder, `${name}-key.pem`), join(folder, `${name}.pem`)];
    const subject = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
    const key = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    execFileSync("openssl", [...key, "-keyout", keyFile, "-out", certFile, "-days", `${days}`, ...subject], {
      stdio: "ignore",
    });
    return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8"), certFile };
  }

  it("is refused if it is self-signed, and accepted with its authority", async () => {
    const port = await startTls((_, response) => response.writeHead(404).end());
    const refused = await report([], https(port));
    expect(refused.code).toBe(1);
    expect(check(refused.json, "certificate (TLS)")).toMatchObject({
      detail: expect.stringMatching(/^refused \(DEPTH_ZERO_SELF_SIGNED_CERT\); valid for \d+ more days$/),
      advice: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(states(refused.json)["response (HTTP)"]).toBe("notChecked");
    const trusted = { ...https(port), NODE_EXTRA_CA_CERTS: file("authority.pem", cert.trim()) };
    const { code, json } = await report([], trusted);
    expect([code, check(json, "certificate (TLS)").detail]).toEqual([
      0,
      expect.stringMatching(/^TLSv1\.3, valid for \d+ more days$/),
    ]);
    expect(states(json)).toMatchObject({ "name (DNS)": "ok", "response (HTTP)": "ok" });
  });

  it("is a warning if few days are left", async () => {
    const { certFile, ...own } = certificate("soon", "localhost", 5);
    const port = await startTls((_, response) => response.end(), own);
    const { code, json } = await report([], { ...https(port), NODE_EXTRA_CA_CERTS: certFile });
    expect([code, check(json, "certificate (TLS)")]).toMatchObject([
      0,
      { state: "warning", advice: expect.stringContaining("renewal") },
    ]);
  });

  it("is refused if it is for another host", async () => {
    const { certFile, ...own } = certificate("other", "other.example", 90);
    const port = await startTls((_, response) => response.end(), own);
    const { code, json } = await report([], { ...https(port), NODE_EXTRA_CA_CERTS: certFile });
    expect([code, check(json, "certificate (TLS)").advice]).toEqual([1, expect.stringContaining("for another host")]);
  });

  it("is missing if the port does not speak TLS", async () => {
    const { port } = await service();
    const { code, json } = await report([], https(port));
    expect([code, check(json, "certificate (TLS)").detail]).toEqual([1, expect.stringContaining("handshake failed")]);
  });

  it("is not checked by a Node whose checks are disabled, which is a warning", async () => {
    const { env } = await service();
    const { json } = await report([], { ...env, NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    expect(check(json, "certificate checks")).toMatchObject({
      state: "warning",
      advice: expect.stringContaining("Unset it"),
    });
  });
});
