import { describe, expect, it } from "vitest";
import { cert, startTls } from "../../../node/tls-server.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { temporaryFile } from "../../../support/temporary-file.ts";
import { check, credentials, report, service, states } from "../support.ts";

describe("the certificate of the service", () => {
  const https = (port: number) => ({ ...credentials, SERVICEAPI_BASE_URL: `https://localhost:${port}` });
  const trusting = (port: number, authority: string) => ({
    ...https(port),
    NODE_EXTRA_CA_CERTS: temporaryFile("authority.pem", authority),
  });

  it("is refused if it is self-signed, and accepted with its authority", async () => {
    const port = await startTls((_, response) => response.writeHead(404).end());
    const refused = await report([], https(port));
    expect(refused.code).toBe(1);
    expect(check(refused.json, "certificate (TLS)")).toMatchObject({
      detail: expect.stringMatching(/^refused \(DEPTH_ZERO_SELF_SIGNED_CERT\); valid for \d+ more days$/),
      advice: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(states(refused.json)["response (HTTP)"]).toBe("notChecked");
    const { code, json } = await report([], trusting(port, cert.trim()));
    expect([code, check(json, "certificate (TLS)").detail]).toEqual([
      0,
      expect.stringMatching(/^TLSv1\.3, valid for \d+ more days$/),
    ]);
    expect(states(json)).toMatchObject({ "name (DNS)": "ok", "response (HTTP)": "ok" });
  });

  it("is a warning if few days are left", async () => {
    const { authority, trusted } = await makeCertificates();
    const port = await startTls((_, response) => response.end(), trusted);
    const { code, json } = await report([], trusting(port, authority));
    expect([code, check(json, "certificate (TLS)")]).toMatchObject([
      0,
      { state: "warning", advice: expect.stringContaining("renewal") },
    ]);
  });

  it("is refused if it is for another host", async () => {
    const { authority, otherName } = await makeCertificates();
    const port = await startTls((_, response) => response.end(), otherName);
    const { code, json } = await report([], trusting(port, authority));
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
