import { execFileSync } from "node:child_process";
import dns, { type LookupAddress } from "node:dns";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { type AddressInfo, createServer as createPlainServer, isIP, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type SecureVersion, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { checkCallbackUrl, checkCallbackUrlLive } from "../../src/callback-url/index.ts";
import { isPublic, probe } from "../../src/callback-url/live.ts";

type Found = (error: null, addresses: readonly LookupAddress[]) => void;
const options = { brandDomain: "example.in" };
const codesOf = (url: string, given: Parameters<typeof checkCallbackUrl>[1] = options) =>
  checkCallbackUrl(url, given).problems.map(({ code }) => code);

describe("§6.6 accepts callback URLs", () => {
  it.each([
    "https://example.in",
    "https://example.in/hook?a=1",
    "https://pay.example.in/hook",
    "HTTPS://Pay.Example.IN/Hook",
    "https://example.in./hook",
    "https://example.in:443/hook",
    "https://example.in/a%20b@c",
  ])("%s", (url) => {
    expect(checkCallbackUrl(url, options)).toMatchObject({ ok: true, problems: [] });
  });

  it("compares international names in punycode", () => {
    const brandDomain = "बैंक.भारत";
    expect(codesOf("https://बैंक.भारत/hook", { brandDomain })).toEqual([]);
    expect(codesOf(`https://pay.${new URL("https://बैंक.भारत").hostname}/`, { brandDomain })).toEqual([]);
    expect(codesOf("https://exаmple.in/", options)).toEqual(["notBrandDomain"]); // a Cyrillic а
  });
});

describe("§6.6 refuses callback URLs, each with its own code", () => {
  it.each([
    ["notHttps", "http://example.in/hook"],
    ["notHttps", "ftp://example.in/hook"],
    ["malformed", "example.in/hook"],
    ["malformed", "https://"],
    ["malformed", "https:///example.in"],
    ["malformed", "https://exa_mple.in"],
    ["malformed", "https://example.in:99999/"],
    ["malformed", "https://example.in../"],
    ["ipAddress", "https://127.0.0.1/"],
    ["ipAddress", "https://[::1]/"],
    ["ipAddress", "https://[::ffff:10.0.0.1]/"],
    ["userInfo", "https://example.in@evil.com/"],
    ["userInfo", "https://user:password@example.in/"],
    ["port", "https://example.in:8443/"],
    ["notBrandDomain", "https://evil.com/"],
    ["notBrandDomain", "https://example.in.evil.com/"],
    ["notBrandDomain", "https://notexample.in/"],
    ["notBrandDomain", "https://example.com/"],
    ["tooDeep", "https://a.b.example.in/"],
    ["notPublic", "https://localhost/"],
    ["notPublic", "https://hook.internal/"],
    ["notPublic", "https://printer.local/"],
    ["freeHosting", "https://me.github.io/"],
    ["freeHosting", "https://shop.vercel.app/"],
    ["freeHosting", "https://shop.netlify.app/"],
    ["urlShortener", "https://bit.ly/abc"],
    ["urlShortener", "https://go.tinyurl.com/abc"],
  ])("%s: %s", (code, url) => {
    expect(codesOf(url)).toContain(code);
  });

  it("free hosting and shorteners, even if they are registered", () => {
    expect(codesOf("https://me.github.io/", { brandDomain: "me.github.io" })).toEqual(["freeHosting"]);
    expect(codesOf("https://bit.ly/x", { brandDomain: "bit.ly" })).toEqual(["urlShortener"]);
  });

  it("on a domain other than the whitelisted website, or two labels below it", () => {
    const both = { ...options, websiteDomain: "www.example.in" };
    expect(codesOf("https://www.example.in/", both)).toEqual([]);
    expect(codesOf("https://pay.example.in/", { ...options, websiteDomain: "shop.example.in" })).toEqual([
      "notWebsiteDomain",
    ]);
    expect(codesOf("https://pay.example.in/", { ...options, websiteDomain: "Example.in." })).toEqual([]);
    expect(
      codesOf("https://x.pay.example.in/", { brandDomain: "pay.example.in", websiteDomain: "example.in" }),
    ).toEqual(["notWebsiteDomain"]);
  });

  it("ignores the www of a website, but never treats the rest as a public suffix", () => {
    const both = { ...options, websiteDomain: "www.example.in" };
    for (const url of ["https://example.in/", "https://api.example.in/hook", "https://www.example.in/"]) {
      expect(codesOf(url, both)).toEqual([]);
    }
    expect(codesOf("https://example.com/", { brandDomain: "example.com", websiteDomain: "www.example.in" })).toEqual([
      "notWebsiteDomain",
    ]);
    for (const websiteDomain of ["www.co.in", "www.uk.com"]) {
      expect(codesOf("https://example.in/", { ...options, websiteDomain })).toEqual(["notWebsiteDomain"]);
    }
  });

  it.each([
    "shop.wordpress.com",
    "hook.free.ngrok-free.app",
    "webhook.site",
    "abc.loca.lt",
    "x.sites.google.com",
    "me.eu.org",
    ..."nip.io sslip.io xip.io traefik.me localtest.me lvh.me bore.pub playit.gg pagekite.me expose.dev webhook.cool"
      .split(" ")
      .concat("zapier.com make.com n8n.cloud softr.app linktr.ee v0.app carrd.co notion.site webflow.io".split(" "))
      .map((domain) => `me.${domain}`),
    // Clouds: each with the label of a region or of an app in front.
    ..."me.centralindia.azurecontainerapps.io vm1.centralindia.cloudapp.azure.com me.development.catalystserverless.in"
      .split(" ")
      .concat(
        "me.us-south.codeengine.appdomain.cloud me--app.modal.run me.execute-api.ap-south-1.amazonaws.com".split(" "),
      )
      .concat("me.lambda-url.ap-south-1.on.aws app.cn-hangzhou.fcapp.run me.cfapps.eu10.hana.ondemand.com".split(" "))
      .concat(
        "me.a.run.app me.azurewebsites.net me.herokuapp.com me.duckdns.org me.wixsite.com x.vultrusercontent.com".split(
          " ",
        ),
      ),
  ])("free hosting at %s", (host) => {
    expect(codesOf(`https://${host}/`, { brandDomain: host })).toEqual(["freeHosting"]);
  });

  it.each("adf.ly bit.do clck.ru aka.ms amzn.to gg.gg git.io ift.tt ouo.io shorte.st vk.cc wp.me dub.co".split(" "))(
    "the shortener %s",
    (host) => {
      expect(codesOf(`https://${host}/x`, { brandDomain: host })).toEqual(["urlShortener"]);
    },
  );

  it.each(["shop.uk.com", "pay.shop.uk.com", "shop.in.net", "wordpress-fans.in"])(
    "but not %s, which is below a registry that sells domains, or only looks alike",
    (host) => {
      const brandDomain = host.replace(/^pay\./, "");
      expect(codesOf(`https://${host}/`, { brandDomain })).toEqual([]);
      expect(() => checkCallbackUrl(`https://${host}/`, { brandDomain: "uk.com" })).toThrow(/brandDomain/);
    },
  );

  it.each([undefined, null, 7, new URL("https://example.in")])("refuses anything but a string: %s", (url) => {
    expect(codesOf(url as never)).toEqual(["notString"]);
  });
});

describe("refuses what new URL() forgives, before the URL is parsed", () => {
  it.each([
    ["malformed", "https:/example.in"],
    ["tooLong", `https://example.in/${"a".repeat(2_048)}`],
    ["hostTooLong", `https://${"a.".repeat(122)}example.in`],
    ["hostTooLong", `https://${"बैंक.".repeat(20)}example.in`],
    ["malformed", "https:example.in"],
    ["backslash", "https:\\\\example.in"],
    ["backslash", "https://example.in\\@evil.com"],
    ["whiteSpace", " https://example.in"],
    ["whiteSpace", "https://exam\tple.in"],
    ["whiteSpace", "https://example.in/\n"],
    ["whiteSpace", "https://example.in/a\u00a0b"],
    ["invisibleCharacter", "https://exam\u00adple.in"],
    ["invisibleCharacter", "https://exam\u200bple.in"],
    ["invisibleCharacter", "https://example.in/\u0000"],
    ...["\ufe0f", "\u034f", "\u180b", "\u115f", "\u1160", "\u17b4", "\u{e0100}", "\u3164"].flatMap((character) => [
      ["invisibleCharacter", `https://exam${character}ple.in`],
      ["invisibleCharacter", `https://बैं${character}क.भारत`],
    ]),
    ["encodedHost", "https://ex%61mple.in"],
    ["wideCharacter", "https://example．in"],
    ["wideCharacter", "https://example。in"],
    ["wideCharacter", "https://１２７.0.0.1"],
  ])("%s: %j", (code, url) => {
    expect(codesOf(url)).toEqual([code]);
  });

  it.each([500, 16_000, 64_000, 256_000])("refuses a host of %i labels", (labels) => {
    expect(codesOf(`https://${"a.".repeat(labels)}example.in/`)).toEqual([labels < 1_024 ? "hostTooLong" : "tooLong"]);
    expect(() => checkCallbackUrl("https://example.in/", { brandDomain: `${"a.".repeat(labels)}in` })).toThrow(
      /brandDomain/,
    );
  });

  it("allows the longest name", () => {
    expect(codesOf(`https://${"a.".repeat(121)}example.in.:443/`)).toEqual(["tooDeep"]);
  });

  it("stops at a host that is not a domain", () => {
    expect(codesOf("https://127.0.0.1/")).toEqual(["ipAddress"]);
    expect(codesOf("https://exa_mple.in/")).toEqual(["malformed"]);
  });

  it.each(["https://0x7f.1/", "https://2130706433/", "https://0177.0.0.1/", "https://127.1/"])(
    "recognises %s as an IP address",
    (url) => {
      expect(codesOf(url)).toContain("ipAddress");
    },
  );
});

describe("reports what was not checked", () => {
  it.each([
    [{}, ["websiteDomain", "connection"]],
    [{ websiteDomain: "example.in" }, ["connection"]],
  ])("with %j", (more, unchecked) => {
    for (const url of ["https://example.in/", "https://evil.com/", "nonsense"]) {
      expect(checkCallbackUrl(url, { ...options, ...more }).unchecked).toEqual(unchecked);
    }
  });
});

describe("the options", () => {
  it.each<[Record<string, unknown> | undefined, RegExp]>([
    [{ brandDomain: "example.in", websitDomain: "example.in" }, /did you mean "websiteDomain"/],
    [{}, /`brandDomain` is missing/],
    [{ brandDomain: 7 }, /`brandDomain`/],
    [{ brandDomain: "example.in", websiteDomain: "" }, /`websiteDomain`/],
    [{ brandDomain: "example.in", timeout: Number.NaN }, /`?timeout/],
    [undefined, /must be an object/],
  ])("%j are refused", async (given, message) => {
    expect(() => checkCallbackUrl("https://example.in/", given as never)).toThrow(message);
    await expect(checkCallbackUrlLive("https://example.in/", given as never)).rejects.toThrow(message);
  });
});

describe("the domains themselves", () => {
  it.each([
    "",
    "co.in",
    "in",
    "github.io/x",
    "https://example.in",
    "example.in:443",
    "a@example.in",
    "exa mple.in",
    "exam\u034fple.in",
    "exam\u200bple.in",
    "127.0.0.1",
  ])("refuses the brand domain %j", (brandDomain) => {
    expect(() => checkCallbackUrl("https://example.in", { brandDomain })).toThrow(/brandDomain/);
  });
  it("refuses a public suffix as the website domain too", () => {
    expect(() => checkCallbackUrl("https://example.in", { ...options, websiteDomain: "in" })).toThrow(/websiteDomain/);
  });
});

describe("the live check", () => {
  const directory = mkdtempSync(join(tmpdir(), "serviceapi-tls-"));
  let key: string;
  let cert: string;
  beforeAll(() => {
    const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", keyFile, "-out", certFile, ...subject],
      {
        stdio: "ignore",
      },
    );
    [key, cert] = [readFileSync(keyFile, "utf8"), readFileSync(certFile, "utf8")];
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  async function listen(
    status: number,
    versions: { maxVersion?: SecureVersion; minVersion?: SecureVersion; ciphers?: string; requestCert?: true } = {},
  ) {
    const server = createServer({ key, cert, ...versions }, (_, response) => {
      response.writeHead(status, { location: "https://evil.com/" }).end();
    });
    server.listen(0, "localhost");
    onTestFinished(() => server.close().closeAllConnections());
    await once(server, "listening");
    return new URL(`https://localhost:${(server.address() as AddressInfo).port}/hook`);
  }
  const ask = async (url: URL, ca: string | undefined = cert) => (await probe(url, 5_000, ca))?.code;

  it.each([
    [200, undefined],
    [405, undefined],
    [301, "redirects"],
    [304, undefined],
    [307, "redirects"],
  ])("a response of %i: %s", async (status, code) => {
    expect(await ask(await listen(status))).toBe(code);
  });

  it("refuses a self-signed certificate, and one for another name", async () => {
    const url = await listen(200);
    expect(await ask(url, "")).toBe("badCertificate");
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect(await ask(url, "")).toBe("badCertificate");
    vi.unstubAllEnvs();
    url.hostname = "127.0.0.1";
    expect(["badCertificate", "notReachable"]).toContain(await ask(url));
  });

  it("refuses a host that DNS resolves to a private address", async () => {
    expect(await probe(await listen(200), 5_000)).toEqual({
      code: "notPublic",
      message: expect.stringMatching(
        /^The callback URL has a host that DNS resolves to (127|::1).*, which is not a public address: publish another/,
      ),
    });
  });

  it.each(
    [
      "0.0.0.0 10.0.0.1 100.64.0.1 100.127.9.9 127.0.0.1 169.254.169.254 172.16.0.1 172.31.0.1 192.0.0.192 192.0.2.1",
      "192.88.99.1 192.168.0.1 198.18.0.1 198.19.255.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1",
      "255.255.255.255 :: ::1 ::7f00:1 ::127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::10.0.0.1 64:ff9b:1::1",
      "100::1 2001::1 2001:0:4136:e378:: 2001:2::1 2001:1ff::1 2001:db8::1 2001:0db8::1 2002:7f00:1:: 3fff::1 3fff:fff::1",
      "4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 localhost",
    ].flatMap((line) => line.split(" ")),
  )("%s is not public", (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each(
    [
      "1.1.1.1 9.9.9.9 11.0.0.1 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.31.196.1 198.17.0.1 198.20.0.1",
      "198.51.101.1 203.0.114.1 223.255.255.1 64:ff9b::808:808 64:ff9b::1.1.1.1 2001:200::1 2001:4860:4860::8888",
      "2003::1 2401:4900::1 2606:4700::1111 2a00:1450::1 3ffe::1 3fff:1000::1",
    ].flatMap((line) => line.split(" ")),
  )("%s is public", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    ["at once", (found: () => void) => found()],
    ["in the next tick, as a cache does", (found: () => void) => process.nextTick(found)],
    ["later", (found: () => void) => setImmediate(found)],
  ])("connects to no address that is not public, whether DNS responds %s", async (_, when) => {
    const server = await listen(200);
    for (const addresses of [["10.0.0.1"], ["2001:db8::1"], ["1.1.1.1", "127.0.0.1"]]) {
      const connect = vi.spyOn(Socket.prototype, "emit");
      const lookup = vi.spyOn(dns, "lookup").mockImplementation(((_host: string, _how: object, found: Found) =>
        when(() =>
          found(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          ),
        )) as never);
      expect((await probe(server, 5_000))?.code).toBe("notPublic");
      expect(connect.mock.calls.map(([event]) => event)).not.toContain("connect");
      for (const spy of [connect, lookup]) spy.mockRestore();
    }
  });

  it("says that the service has no certificate for a server that wants one", async () => {
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const) {
      const found = await probe(await listen(200, { requestCert: true, maxVersion }), 5_000, cert);
      expect(found?.code).toBe("notReachable");
      expect(found?.message).toMatch(/TLS handshake \(E\w+\): it must ask for no client certificate/);
    }
  });

  it("refuses TLS 1.1", async () => {
    const weak = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await ask(await listen(200, weak))).toBe("tlsTooOld");
  });

  it("says what to do about a server without TLS, one that is not there, a host without an address and a redirect", async () => {
    const plain = createPlainServer((socket) => socket.resume().end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    plain.listen(0, "localhost");
    onTestFinished(() => void plain.close());
    await once(plain, "listening");
    const { port } = plain.address() as AddressInfo;
    const say = async (url: URL) => (await probe(url, 5_000, cert))?.message;
    expect(await say(new URL(`https://localhost:${port}/`))).toMatch(
      /does not speak TLS on its port: serve https there\.$/,
    );
    expect(await say(new URL("https://localhost:1/"))).toMatch(
      /cannot be reached \(ECONNREFUSED\): check that a server/,
    );
    for (const host of ["no-such-host.invalid", "alert.invalid"])
      expect(await say(new URL(`https://${host}/`))).toMatch(/DNS does not resolve: check its name/);
    expect(await say(await listen(301))).toMatch(/responded with 301: register the URL that it leads to\.$/);
  });

  /** A TLS server that sends these bytes for every request. */
  async function say(bytes: string, onRequest: (socket: TLSSocket) => unknown = (socket) => socket.write(bytes)) {
    const server = createTlsServer({ key, cert }, (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => onRequest(socket));
    });
    server.listen(0, "localhost");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    return new URL(`https://localhost:${(server.address() as AddressInfo).port}/hook`);
  }

  it.each([
    ["101 Switching Protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
    ["101 without an upgrade", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
    ["what is not HTTP", "220 mail.example ESMTP\r\n"],
  ])("settles when the host responds with %s", async (_, bytes) => {
    expect(await ask(await say(bytes))).toBe("notReachable");
  });

  it("settles when the host hangs up or keeps sending early hints", async () => {
    expect(await ask(await say("", (socket) => socket.destroy()))).toBe("notReachable");
    const url = await say("", (socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 10);
      socket.once("close", () => clearInterval(timer));
    });
    expect(await probe(url, 200, cert)).toEqual({
      code: "notReachable",
      message:
        "The callback URL sent no response within 200 ms: check that a server runs there, and that firewalls let everybody in.",
    });
  });

  it("reports that nothing responds", async () => {
    expect(await ask(new URL("https://localhost:1/"))).toBe("notReachable");
  });

  it("sends nothing to a URL that is already refused", async () => {
    const report = await checkCallbackUrlLive("https://evil.com/", options);
    expect(report.problems.map(({ code }) => code)).toEqual(["notBrandDomain"]);
  });

  it("reports what the probe found", async () => {
    const report = await checkCallbackUrlLive("https://nowhere.serviceapi-brand.in/", {
      brandDomain: "serviceapi-brand.in",
      timeout: 2_000,
    });
    expect(report).toMatchObject({ ok: false, problems: [{ code: "notReachable" }] });
  });

  it("names itself in the error for a domain", async () => {
    await expect(checkCallbackUrlLive("https://pay.co.in/", { brandDomain: "co.in" })).rejects.toThrow(
      /^checkCallbackUrlLive: `brandDomain` must be a domain/,
    );
  });

  it("names what the runtime lacks", async () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    await expect(checkCallbackUrlLive("https://example.in/", options)).rejects.toThrow(/needs node:https/);
  });
});
