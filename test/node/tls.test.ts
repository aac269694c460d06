import type { OutgoingHttpHeaders } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { nodeFetch } from "../../src/node/index.ts";
import type { TlsOptions } from "../../src/node/node-fetch.ts";
import { clientOf, errorOf } from "../support/client.ts";
import { gate } from "../support/gate.ts";
import { never } from "../support/operations.ts";
import { startTcpServer } from "../support/server.ts";

import { cert, key, startBareTls, startTls } from "./tls-server.ts";

const own = { ca: cert };
const https = (port: number, tls?: TlsOptions, options = {}) =>
  clientOf(
    { url: `https://127.0.0.1:${port}` },
    { fetch: nodeFetch({ ...(tls && { tls }), proxy: false, ...options }) },
  );

describe("TLS", () => {
  it("a private authority is trusted if it is passed", async () => {
    const port = await startTls();
    expect(await https(port, own).send(never, {})).toEqual({ status: "SUCCESS" });
    expect(await https(port, { ca: [Buffer.from(cert)] }).send(never, {})).toEqual({ status: "SUCCESS" });
  });

  it.each(["TLSv1.2", "TLSv1.3"] as const)(
    "%s: nothing is written to a server that is not trusted",
    async (maxVersion) => {
      let received = 0;
      const port = await startBareTls((socket) => socket.on("data", ({ length }) => (received += length)), {
        maxVersion,
      });
      const error = await errorOf(https(port).send(never, {}));
      expect(error).toMatchObject({ kind: "connection", outcome: "notSent", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
      // The next attempt would meet the same certificate.
      expect(error).toMatchObject({ attempts: 1, isRetryable: false });
      expect(received).toBe(0);
    },
  );

  it.each(["fetch", "nodeFetch"])("%s: a handshake that the other end closes has sent nothing", async (name) => {
    const server = await startTcpServer((socket) => socket.once("data", () => socket.end()));
    const fetch = name === "fetch" ? undefined : nodeFetch({ proxy: false });
    const url = server.url.replace("http:", "https:");
    expect(await errorOf(clientOf({ url }, { fetch }).send(never, {}))).toMatchObject({ outcome: "notSent" });
  });

  it("a certificate of another name is refused, also if the session before was another name's", async () => {
    const port = await startTls();
    const error = await errorOf(https(port, { ...own, servername: "other.example.com" }).send(never, {}));
    expect(error).toMatchObject({ outcome: "notSent", code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    expect(await https(port, { ...own, servername: "api.example.com" }).send(never, {})).toEqual({ status: "SUCCESS" });
  });

  it("`servername` counts for a host name too", async () => {
    const port = await startTls();
    const at = (servername: string) =>
      clientOf(
        { url: `https://localhost:${port}` },
        { fetch: nodeFetch({ tls: { ...own, servername }, proxy: false }) },
      );
    expect(await at("api.example.com").send(never, {})).toEqual({ status: "SUCCESS" });
    const error = await errorOf(at("other.example.com").send(never, {}));
    expect(error).toMatchObject({ outcome: "notSent", code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    expect(error.message).toContain("The certificate was refused");
  });

  it.each([
    ["ca", "ca.pem"],
    ["ca", "not PEM"],
    ["ca", [cert, "garbage"]],
    ["cert", Buffer.from("x")],
  ])("refuses `%s` that is not PEM, such as a path", (name, value) => {
    expect(() => nodeFetch({ tls: { [name]: value } })).toThrow("the content of a PEM file");
  });

  /** A `fetch` over node:https, as node-fetch is: its errors are those of the socket. */
  const overHttps = ((url: string, { method, headers, body, signal }: RequestInit) =>
    new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers } as OutgoingHttpHeaders, ca: cert, signal: signal ?? undefined };
      request(url, options, resolve).on("error", reject).end(body);
    })) as unknown as typeof fetch;

  it.each([
    ["nodeFetch", "TLSv1.2"],
    ["nodeFetch", "TLSv1.3"],
    ["a `fetch` over node:https", "TLSv1.2"],
    ["a `fetch` over node:https", "TLSv1.3"],
  ] as const)(
    "%s, %s: bytes that are not TLS of this version, once the request was written",
    async (name, maxVersion) => {
      const fetch = name === "nodeFetch" ? nodeFetch({ tls: own, proxy: false }) : overHttps;
      for (const bytes of [Buffer.from([21, 3, 9, 0, 2, 2, 70]), "HTTP/1.1 502 Bad Gateway\r\n\r\n"]) {
        const received = gate();
        let requests = 0;
        const onRequest = () => {
          requests++;
          received.open();
        };
        const port = await startBareTls((socket) => socket.on("data", onRequest), { maxVersion });
        const between = await startTcpServer((socket) => {
          const onward = connect(port, "127.0.0.1");
          onward.on("error", () => {});
          socket.pipe(onward).pipe(socket);
          void received.opened.then(() => socket.write(bytes));
        });
        const error = await errorOf(clientOf({ url: `https://127.0.0.1:${between.port}` }, { fetch }).send(never, {}));
        expect(error).toMatchObject({ kind: "connection", outcome: "unknown", attempts: 1 });
        expect(requests).toBe(1);
      }
    },
  );

  it("rejectUnauthorized: false takes any", async () => {
    const port = await startTls();
    expect(await https(port, { rejectUnauthorized: false }).send(never, {})).toEqual({ status: "SUCCESS" });
  });

  it("a client certificate is sent", async () => {
    const port = await startTls(undefined, {
      requestCert: true,
      rejectUnauthorized: true,
      ca: cert.trim(),
    });
    expect(await https(port, { ...own, cert, key }).send(never, {})).toEqual({ status: "SUCCESS" });
    expect(await errorOf(https(port, own).send(never, {}))).toMatchObject({ kind: "connection", attempts: 1 });
  });

  it("a later connection resumes the session", async () => {
    const resumed: boolean[] = [];
    const port = await startTls((request, response) => {
      resumed.push((request.socket as import("node:tls").TLSSocket).isSessionReused());
      response.end('{"status":"SUCCESS"}');
    });
    const api = https(port, own, { keepAlive: false });
    for (let i = 0; i < 2; i++) await api.send(never, {});
    expect(resumed).toEqual([false, true]);
  });

  it("a session is resumed once: a server may not accept it again", async () => {
    const resumed: boolean[] = [];
    const both = gate();
    const port = await startTls((request, response) => {
      resumed.push((request.socket as import("node:tls").TLSSocket).isSessionReused());
      if (resumed.length === 3) both.open();
      if (resumed.length === 1) response.end('{"status":"SUCCESS"}');
      else void both.opened.then(() => response.end('{"status":"SUCCESS"}'));
    });
    const api = https(port, own, { keepAlive: false });
    await api.send(never, {});
    await Promise.all([api.send(never, {}), api.send(never, {})]);
    expect(resumed.sort()).toEqual([false, false, true]);
  });

  it("a handshake that breaks is a ConnectionError", async () => {
    const server = await startTcpServer((socket) => socket.once("data", () => socket.destroy()));
    const error = await errorOf(https(server.port).send(never, {}));
    expect(error).toMatchObject({ kind: "connection", outcome: "notSent", attempts: 1, code: "ECONNRESET" });
  });

  it.each([
    [40, "HANDSHAKE_FAILURE", false, "check `tls` of `nodeFetch`"],
    [112, "UNRECOGNIZED_NAME", false, "`servername`"],
    [80, "INTERNAL_ERROR", true, "Check `baseUrl`"],
  ])(
    "the alert %i in the handshake, %s: nothing was sent, and the message says what to check",
    async (number, name, isRetryable, advice) => {
      const alert = Buffer.from([21, 3, 3, 0, 2, 2, number]);
      const server = await startTcpServer((socket) => socket.once("data", () => socket.end(alert)));
      const error = await errorOf(https(server.port).send(never, {}));
      expect(error).toMatchObject({ outcome: "notSent", isRetryable });
      expect(error).toMatchObject({ code: expect.stringMatching(`^ERR_SSL_.*${name}$`) });
      expect(error.message).toContain(advice);
    },
  );

  it("TLSv1.3: a client certificate that is missed after the handshake may have been sent a request", async () => {
    const port = await startTls(undefined, {
      ...{ requestCert: true, rejectUnauthorized: true, ca: cert.trim(), minVersion: "TLSv1.3" },
    });
    expect(await errorOf(https(port, own).send(never, {}))).toMatchObject({ outcome: "unknown", isRetryable: false });
  });
});
