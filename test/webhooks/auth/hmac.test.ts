import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  ConfigurationError,
  custom,
  hmac,
  sign,
  standardWebhooks,
  type WebhookAuthError,
  Webhooks,
} from "../../../src/webhooks/index.ts";

// Every digest here was made with openssl: `openssl dgst -sha256 -hmac "$SECRET" -hex body.json`, with the timestamp
// or the identifier before the body where the scheme has one.
const secret = "vector secret ₹";
const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1","note":"₹ नमस्ते"}';
const bodyBytes = new TextEncoder().encode(body);
const signedAt = 1_700_000_000_000;
const vectors = {
  hex: "f5880945e544d9f6236b603f01a737d9cbe4f4f7f31f9a08056fcdbdb47b58af",
  base64: "9YgJReVE2fYja2A/Aac32cvk9PfzH5oIBW/NvbR7WK8=",
  base64url: "9YgJReVE2fYja2A_Aac32cvk9PfzH5oIBW_NvbR7WK8",
  timestamp: "5b0f9e1e1e5e643ee6c912911669efacc1111821d54915791f8064018a1961fc",
  standard: "wJuMj90Usqm7Br7Wf5HH7wit80RWGQW6Z/1pu+uChHk=",
  custom: "29db204d275d116e570b56897279b566685336f81026e726a199ed58b0c02a9c",
};
const standardSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const standardHeaders = {
  "webhook-id": "msg_1",
  "webhook-timestamp": "1700000000",
  "webhook-signature": `v1,${vectors.standard}`,
};

const receiver = (check: Parameters<typeof hmac>[0] | ReturnType<typeof hmac>, now = signedAt) =>
  new Webhooks({ auth: ["check" in check ? check : hmac(check)], now: () => now });
const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => "accepted",
    (error: WebhookAuthError) => error.reason,
  );

/** Both ways of making a digest must agree: node:crypto, and WebCrypto where a runtime has nothing else. */
describe.each(["node:crypto", "WebCrypto"])("hmac with %s", (engine) => {
  const withEngine = <T>(make: () => T): T => {
    if (engine === "WebCrypto") vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    try {
      return make();
    } finally {
      vi.restoreAllMocks();
    }
  };
  const accepted = (scheme: Parameters<typeof hmac>[0], headers: Record<string, string>) =>
    expect(withEngine(() => receiver(scheme)).verify({ headers, body })).resolves.toMatchObject({
      status: "DUPLICATE",
    });

  it.each(["hex", "base64", "base64url"] as const)("accepts openssl's signature in %s", async (encoding) => {
    await accepted({ header: "X-Signature", encoding, secrets: [secret] }, { "x-signature": vectors[encoding] });
  });

  it("accepts a prefix, upper-case hex and base64 without its padding", async () => {
    await accepted(
      { header: "x-signature", prefix: "sha256=", secrets: [secret] },
      { "X-Signature": `sha256=${vectors.hex.toUpperCase()}` },
    );
    await accepted(
      { header: "x-signature", encoding: "base64", secrets: [secret] },
      { "x-signature": vectors.base64.replace("=", "") },
    );
  });

  it("accepts a signature over timestamp.body", async () => {
    await accepted(
      { header: "x-signature", signed: "timestamp.body", timestampHeader: "x-time", secrets: [secret] },
      { "x-signature": vectors.timestamp, "x-time": "1700000000" },
    );
  });

  it("accepts a signature over a text of one's own making", async () => {
    const signed = ({ nonce, body: bytes }: { nonce: string; body: Uint8Array }) =>
      `${nonce}|${new TextDecoder().decode(bytes)}`;
    await accepted(
      { header: "x-signature", signed, nonceHeader: "x-nonce", secrets: [secret] },
      { "x-signature": vectors.custom, "x-nonce": "n-1" },
    );
  });

  it("accepts Standard Webhooks, one signature among several", async () => {
    const webhooks = withEngine(() => receiver(standardWebhooks({ secrets: [standardSecret] })));
    await webhooks.verify({ headers: standardHeaders, body });
    const several = { ...standardHeaders, "webhook-signature": `v1a,xyz v1,${"A".repeat(43)}= v1,${vectors.standard}` };
    await webhooks.verify({ headers: several, body });
  });

  it("refuses a signature that differs in one bit, or a body that differs in one byte", async () => {
    const webhooks = withEngine(() => receiver({ header: "x-signature", secrets: [secret] }));
    const flipped = vectors.hex.replace(/f$/, "e");
    expect(await reasonOf(webhooks.verify({ headers: { "x-signature": flipped }, body }))).toBe("signatureMismatch");
    const headers = { "x-signature": vectors.hex };
    expect(await reasonOf(webhooks.verify({ headers, body: body.replace("po-1", "po-2") }))).toBe("signatureMismatch");
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("accepted");
  });

  it("accepts either secret during a rotation, and neither afterwards", async () => {
    const headers = { "x-signature": vectors.hex };
    const during = withEngine(() => receiver({ header: "x-signature", secrets: ["the new one", secret] }));
    expect(await reasonOf(during.verify({ headers, body }))).toBe("accepted");
    const after = withEngine(() => receiver({ header: "x-signature", secrets: ["the new one", "the newest"] }));
    expect(await reasonOf(after.verify({ headers, body }))).toBe("signatureMismatch");
  });

  it("makes what it accepts, in every scheme", async () => {
    const schemes = withEngine(() => [
      hmac({ header: "x-signature", secrets: [secret] }),
      hmac({ header: "x-signature", encoding: "base64url", prefix: "v1=", secrets: [secret, "old"] }),
      hmac({
        header: "x-s",
        signed: "timestamp.body",
        timestampHeader: "x-t",
        timestampUnit: "milliseconds",
        secrets: [secret],
      }),
      hmac({ header: "x-s", signed: ({ nonce }) => `only ${nonce}`, nonceHeader: "x-n", secrets: [secret] }),
      standardWebhooks({ secrets: [standardSecret] }),
    ]);
    for (const scheme of schemes) {
      const delivery = await sign(JSON.parse(body), scheme, { now: signedAt });
      await expect(receiver(scheme).verify(delivery)).resolves.toMatchObject({ client_referenceId: "demo-po-1" });
    }
  });

  it("refuses more signatures than a rotation needs", async () => {
    const webhooks = withEngine(() => receiver({ header: "x-signature", secrets: [secret] }));
    const flood = [...Array<string>(10).fill("00"), vectors.hex].join(",");
    expect(await reasonOf(webhooks.verify({ headers: { "x-signature": flood }, body }))).toBe("signatureMismatch");
  });
});

describe("headers and bodies in every form", () => {
  const webhooks = receiver({ header: "x-signature", secrets: [secret] });
  const forms = {
    Headers: new Headers({ "X-Signature": vectors.hex }),
    "a plain object": { "X-SIGNATURE": vectors.hex },
    "Node's headers with arrays": { "x-signature": [vectors.hex] },
    "Node's rawHeaders": ["Host", "localhost", "X-Signature", vectors.hex],
    "several values": { "x-signature": ["00ff", vectors.hex] },
  };
  it.each(Object.entries(forms))("takes %s", async (_, headers) => {
    expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("accepted");
  });

  const bodies = {
    text: () => body,
    Uint8Array: () => bodyBytes,
    Buffer: () => Buffer.from(body),
    "a part of a larger Buffer": () => Buffer.from(`xx${body}yy`).subarray(2, -2),
    ArrayBuffer: () => bodyBytes.slice().buffer,
    "a web stream": () => new Blob([bodyBytes.slice(0, 9), bodyBytes.slice(9)]).stream(),
    "an async iterable": async function* () {
      yield bodyBytes.slice(0, 70);
      yield bodyBytes.slice(70);
    },
  };
  it.each(Object.entries(bodies))("takes %s", async (_, make) => {
    const source = make();
    const read = typeof source === "function" ? (source as () => unknown)() : source;
    expect(await reasonOf(webhooks.verify({ headers: forms.Headers, body: read }))).toBe("accepted");
  });

  it("takes a Request", async () => {
    const request = new Request("http://localhost/", { method: "POST", headers: forms.Headers, body });
    await expect(webhooks.verify(request)).resolves.toMatchObject({ status: "DUPLICATE" });
  });

  it("says nothing is there when nothing is", async () => {
    for (const headers of [new Headers(), {}, { "x-signature": undefined }, { "x-signature": " " }, []]) {
      expect(await reasonOf(webhooks.verify({ headers, body }))).toBe("signatureMissing");
    }
  });

  it("is not misled by names that every object inherits", async () => {
    const odd = receiver({ header: "constructor", secrets: [secret] });
    expect(await reasonOf(odd.verify({ headers: {}, body }))).toBe("signatureMissing");
  });
});

describe("timestamps (policy 35): 300 s both ways", () => {
  const at = (now: number, timestamp = "1700000000") =>
    reasonOf(
      receiver(standardWebhooks({ secrets: [standardSecret] }), now).verify({
        headers: { ...standardHeaders, "webhook-timestamp": timestamp },
        body,
      }),
    );

  it.each([
    [300_000, "accepted"],
    [-300_000, "accepted"],
    [300_001, "timestampOutOfRange"],
    [-300_001, "timestampOutOfRange"],
  ])("with the clock %i ms ahead: %s", async (ahead, outcome) => {
    expect(await at(signedAt + ahead)).toBe(outcome);
  });

  it.each(["1700000000abc", "1700000000.5", "-1700000000", "1.7e9", "0x6553f100", "Tue, 14 Nov 2023 22:13:20 GMT"])(
    "refuses %j, which looser parsers accept",
    async (timestamp) => {
      expect(await at(signedAt, timestamp)).toBe("timestampInvalid");
    },
  );

  it("refuses none at all", async () => {
    expect(await at(signedAt, "")).toBe("timestampMissing");
  });

  it("refuses a timestamp that was changed after signing", async () => {
    expect(await at(signedAt, "1700000001")).toBe("signatureMismatch");
  });

  it("takes another tolerance", async () => {
    const check = standardWebhooks({ secrets: [standardSecret], tolerance: 1_000 });
    expect(await reasonOf(receiver(check, signedAt + 1_001).verify({ headers: standardHeaders, body }))).toBe(
      "timestampOutOfRange",
    );
  });
});

describe("nonces", () => {
  const check = hmac({ header: "x-s", signed: ({ nonce }) => nonce, nonceHeader: "x-n", secrets: [secret] });

  it("are accepted once by verify", async () => {
    const webhooks = receiver(check);
    const delivery = await sign(body, check);
    expect(await reasonOf(webhooks.verify(delivery))).toBe("accepted");
    expect(await reasonOf(webhooks.verify(delivery))).toBe("nonceReused");
  });

  it("must be there, and short", async () => {
    const { headers } = await sign(body, check);
    for (const nonce of ["", "n".repeat(257)]) {
      expect(await reasonOf(receiver(check).verify({ headers: { ...headers, "x-n": nonce }, body }))).toBe(
        "nonceMissing",
      );
    }
  });
});

describe("secrets and options are checked when the check is made", () => {
  it.each([[undefined], ["s3cret"], [[]], [[""]], [["  "]], [[undefined]], [[new Uint8Array(0)]]])(
    "refuses the secrets %j",
    (secrets) => {
      expect(() => hmac({ header: "x", secrets: secrets as string[] })).toThrow(ConfigurationError);
      expect(() => standardWebhooks({ secrets: secrets as string[] })).toThrow(ConfigurationError);
    },
  );

  it("explains the newline of a secret that was read from a file, without showing it", () => {
    expect(() => hmac({ header: "x", secrets: ["hunter2\n"] })).toThrow(/white space.*trim/);
    expect(() => hmac({ header: "x", secrets: ["hunter2\n"] })).not.toThrow(/hunter2/);
  });

  it("takes bytes as a secret", async () => {
    const bytes = new TextEncoder().encode(secret);
    const webhooks = receiver({ header: "x-signature", secrets: [bytes] });
    expect(await reasonOf(webhooks.verify({ headers: { "x-signature": vectors.hex }, body }))).toBe("accepted");
  });

  it.each([
    [{ header: "" }, /`header`/],
    [{ signed: "timestamp.body" as const }, /`timestampHeader`/],
    [{ signed: "id.timestamp.body" as const, timestampHeader: "t" }, /`idHeader`/],
  ])("refuses %j", (options, message) => {
    expect(() => hmac({ header: "x", secrets: ["s"], ...options })).toThrow(message);
  });

  it("refuses a Standard Webhooks secret that is not base64", () => {
    expect(() => standardWebhooks({ secrets: ["whsec_not base64!"] })).toThrow(/not base64/);
    expect(() => standardWebhooks({ secrets: ["whsec_"] })).toThrow(/empty/);
  });
});

describe("auth is a list of checks, all of which must pass (policy 34)", () => {
  const signature = () => hmac({ header: "x-signature", secrets: [secret] });
  const headers = { "x-signature": vectors.hex, "x-tenant": "blue" };
  const tenant = (name: string) => custom(async (delivery) => delivery.header("x-tenant") === name);

  it.each([
    [[signature(), tenant("blue")], "accepted"],
    [[tenant("blue"), signature()], "accepted"],
    [[signature(), tenant("red")], "refusedByCheck"],
    [[tenant("red"), signature()], "refusedByCheck"],
    [[tenant("blue"), hmac({ header: "x-signature", secrets: ["other"] })], "signatureMismatch"],
  ])("case %#", async (auth, outcome) => {
    expect(await reasonOf(new Webhooks({ auth }).verify({ headers, body }))).toBe(outcome);
  });

  it("refuses with a custom check that throws, or forgets to answer", async () => {
    const throwing = custom(() => {
      throw new Error("database password is hunter2");
    });
    const error = await new Webhooks({ auth: [throwing] }).verify({ headers, body }).catch((reason: Error) => reason);
    expect(error).toMatchObject({ reason: "refusedByCheck", message: "A custom check refused the delivery." });
    const forgetful = custom(() => undefined as never);
    expect(await reasonOf(new Webhooks({ auth: [forgetful] }).verify({ headers, body }))).toBe("refusedByCheck");
  });

  it.each([[undefined], [[]]])("refuses while auth is %j", async (auth) => {
    expect(await reasonOf(new Webhooks({ auth }).verify({ headers, body }))).toBe("notConfigured");
  });

  it('accepts anything with "none", said in as many words', async () => {
    expect(await reasonOf(new Webhooks({ auth: "none" }).verify({ headers: {}, body }))).toBe("accepted");
    expect((await new Webhooks({ auth: "none" }).sign(body)).headers).toEqual({ "content-type": "application/json" });
  });
});

describe("no error shows a secret or a body", () => {
  afterEach(() => vi.restoreAllMocks());

  it("in its text, its JSON or its inspection", async () => {
    const { inspect } = await import("node:util");
    const webhooks = receiver({ header: "x-signature", secrets: ["sesame-4711"] });
    const digest = createHmac("sha256", "sesame-4711").update(body).digest("hex");
    const error = await webhooks.verify({ headers: { "x-signature": `${digest}0` }, body }).catch((reason) => reason);
    for (const shown of [
      String(error),
      JSON.stringify(error),
      inspect(error, { depth: 9 }),
      inspect(webhooks, { depth: 9 }),
    ]) {
      expect(shown).not.toContain("4711");
      expect(shown).not.toContain(digest);
      expect(shown).not.toContain("demo-po-1");
    }
  });
});
