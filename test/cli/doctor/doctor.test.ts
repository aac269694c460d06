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
        --stream-timeout <ms>         timeout of a whole stream (default: 180000)
        --json                        print JSON
        --markdown                    print what the calls showed as Markdown, ready
                                      for an issue
        -h, --help                    display help for command

      Examples
        $ npx serviceapi doctor                                         # one GET request, without credentials
        $ npx serviceapi doctor --live --refusal                        # are credentials and IP address accepted?
        $ npx serviceapi doctor --live --refusal --ask --markdown       # what the service does, for an issue
        $ npx serviceapi doctor --live --quote "$TRACE_ID" "$TOKEN" --rules

      Exit codes
        0  no check failed; warnings do not count
        1  a check failed, a call had no usable response, or an assumption is broken
        2  an option is wrong; nothing was sent

      Environment
        SERVICEAPI_BASE_URL       base URL of the service, https
        SERVICEAPI_CLIENT_ID      client ID
        SERVICEAPI_CLIENT_SECRET  client secret; never an option, because every user
                                  of the machine can see those
        SERVICEAPI_LOG            level of the log on standard error: error, warn,
                                  info or debug

      Also checked, never used
        SERVICEAPI_WEBHOOK_SECRET  secret of webhooks, one on each line
      "
    `);
  });
});
