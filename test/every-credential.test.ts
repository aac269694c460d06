/**
 * Every place that takes a credential refuses what cannot be one. The places come from the options of the public
 * functions: a new option for a credential fails here until the table says how to pass one.
 */
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError, ServiceApi } from "../src/index.ts";
import { nodeFetch } from "../src/node/index.ts";
import { basic, hmac, standardWebhooks, type WebhookCheck, Webhooks } from "../src/webhooks/index.ts";
import { takers } from "./support/option-takers.ts";

/** The forms in which each option takes a credential. */
const places: Readonly<Record<string, readonly ((value: string) => unknown)[]>> = {
  clientId: [(value) => value],
  clientSecret: [(value) => value],
  secrets: [(value) => [value], (value) => ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz", value]],
  credentials: [
    (username) => [{ username, password: "pa55-of-mine" }],
    (password) => [{ username: "payouts", password }],
  ],
};

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are what was not expanded
/** The strings that programs and files make of a credential that is missing, or that nobody unpacked. */
const noCredentials: readonly (readonly [what: string, text: string])[] = [
  ["a missing variable", `${undefined}`],
  ["a missing variable with its prefix", `whsec_${undefined}`],
  ["two missing variables", `${undefined}:${undefined}`],
  ["null", `${null}`],
  ["NaN", `${Number("secret")}`],
  ["None of Python", "None"],
  ["an object", `${{}}`],
  ["an object as JSON", JSON.stringify({})],
  ["a promise", `${Promise.resolve("secret")}`],
  ["a function", `${() => "secret"}`],
  ["an async function", `${async () => "secret"}`],
  ["an empty list", `${[]}`],
  ["a list of nothing", `${[undefined, undefined]}`],
  ["a flag without a value", `${true}`],
  ["a variable that the shell did not expand", "${WEBHOOK_SECRET}"],
  ["one within a value", "live-${WEBHOOK_SECRET}"],
  ["one without braces", "$WEBHOOK_SECRET"],
  ["one of Windows", "%WEBHOOK_SECRET%"],
  ["one of Kubernetes", "$(WEBHOOK_SECRET)"],
  ["one of a template", "{{ .Values.secret }}"],
  ["one of a workflow", "${{ secrets.WEBHOOK_SECRET }}"],
  ["the placeholder of a guide", "<CLIENT_SECRET>"],
  ["quotes of an env file", '"hunter2-hunter2"'],
  ["single quotes of an env file", "'hunter2-hunter2'"],
  ["quotes of a word processor", "“hunter2-hunter2”"],
  ["a masked value", "••••••••"],
  ["a masked value in ASCII", "********"],
  ["zero-width characters", "\u200b\u200b"],
  ["a zero-width character within", "hunter2\u200bhunter2"],
  ["a byte order mark", "\ufeffhunter2-hunter2"],
  ["a letter that nobody sees", "\u3164\u3164"],
  ["zero bytes", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"],
  ["a newline at the end", "hunter2-hunter2\n"],
  ["a space in front", " hunter2-hunter2"],
  ["white space", " \t"],
  ["an empty string", ""],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above

async function refusalOf(call: () => unknown): Promise<Error | undefined> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return undefined;
}

function expectRefused(error: Error | undefined): void {
  expect(error?.message).toMatch(
    /missing|white space|quotes|placeholder|source of a function|visible ASCII|invisible|base64|no letters or digits/,
  );
  expect(error?.message).not.toContain("hunter2");
}

const options = await Promise.all(
  Object.entries(takers).map(async ([name, { call, base = {} }]) => {
    const refusal = await refusalOf(() => call({ ...base, somethingElse: true } as never));
    const known = /Known: (.+)\.$/.exec(refusal?.message ?? "")?.[1]?.split(", ") ?? [];
    return known
      .filter((option) => /secret|credential|clientId|password|token$/i.test(option))
      .map((option) => [name, option] as const);
  }),
).then((found) => found.flat());

describe("a credential in an option", () => {
  it("is known in each of its places", () => {
    expect(options.length).toBeGreaterThan(10);
    expect(options.filter(([, option]) => !(option in places))).toEqual([]);
  });

  it.each(noCredentials)("is refused before anything is sent if it is %s", async (_what, text) => {
    for (const [name, option] of options) {
      const { call, base = {} } = takers[name] ?? expect.unreachable();
      for (const put of places[option] ?? []) {
        const refused = await refusalOf(() => call({ ...base, [option]: put(text) } as never));
        expect(ConfigurationError.isInstance(refused), `${name} ${option}`).toBe(true);
        expectRefused(refused);
      }
    }
  });

  it("is refused as bytes that were wiped, or that hold such a string", () => {
    const utf8 = new TextEncoder();
    for (const key of [new Uint8Array(32), utf8.encode(`${undefined}`), utf8.encode("hunter2\n")]) {
      expect(() => hmac({ header: "x-s", secrets: [key] })).toThrow(ConfigurationError);
    }
    expect(() => standardWebhooks({ secrets: [btoa("\0".repeat(32))] })).toThrow("zero bytes");
    expect(() => hmac({ header: "x-s", secrets: [Uint8Array.of(1, 2, 200, 0)] })).not.toThrow();
  });
});

const headers = { authorization: "Basic YTpi", "x-s": "00", "webhook-signature": "v1,AA==", "webhook-id": "1" };
const verify = (check: WebhookCheck) =>
  new Webhooks({ auth: [check], now: () => 0 }).verify({
    headers: { ...headers, "webhook-timestamp": "0" },
    body: "{}",
  });
const url = { baseUrl: "https://api.example.com" };
const request = { vpa_mobile: "6000000001", consent: "Y" } as const;

/** The places whose credential is read later, at each call or delivery. */
const later: Readonly<Record<string, (text: string) => unknown>> = {
  "clientId, a function": (text) =>
    new ServiceApi({ ...url, clientId: () => text, clientSecret: "s3cret" }).verification.findVpas(request),
  "clientSecret, a function": (text) =>
    new ServiceApi({ ...url, clientId: "me", clientSecret: async () => text }).verification.findVpas(request),
  SERVICEAPI_CLIENT_ID: (text) => {
    vi.stubEnv("SERVICEAPI_CLIENT_ID", text);
    return new ServiceApi({ ...url, clientSecret: "s3cret" }).verification.findVpas(request);
  },
  SERVICEAPI_CLIENT_SECRET: (text) => {
    vi.stubEnv("SERVICEAPI_CLIENT_SECRET", text);
    return new ServiceApi({ ...url, clientId: "me" }).verification.findVpas(request);
  },
  "SERVICEAPI_WEBHOOK_SECRET, at the start": (text) => {
    vi.stubEnv("SERVICEAPI_WEBHOOK_SECRET", text);
    return hmac({ header: "x-s" });
  },
  "SERVICEAPI_WEBHOOK_SECRET, later": (text) => {
    vi.stubEnv("SERVICEAPI_WEBHOOK_SECRET", undefined);
    const check = standardWebhooks();
    vi.stubEnv("SERVICEAPI_WEBHOOK_SECRET", text);
    return verify(check);
  },
  "secrets of hmac, a function": (text) => verify(hmac({ header: "x-s", secrets: () => text })),
  "secrets of hmac, a function among others": (text) =>
    verify(hmac({ header: "x-s", secrets: ["a secret of the panel", async () => [text]] })),
  "secrets of standardWebhooks, a function": (text) => verify(standardWebhooks({ secrets: () => text })),
};

describe.each(Object.entries(later))("a credential from %s", (place, give) => {
  // A variable of the environment cannot hold a zero byte, and that of webhooks holds lines, the last of which may end.
  const isLine = (text: string) => place.startsWith("SERVICEAPI_WEBHOOK_SECRET") && text.endsWith("\n");
  it.each(noCredentials.filter(([, text]) => !text.includes("\0") && !isLine(text)))(
    "is refused if it is %s",
    async (_what, text) => {
      expectRefused(await refusalOf(() => give(text)));
    },
  );
});

describe("a credential in the URL of a proxy", () => {
  const proxyOf = (user: string, password: string) => {
    const url = new URL("http://127.0.0.1:1");
    return () =>
      nodeFetch({
        proxy: Object.assign(url, { username: encodeURIComponent(user), password: encodeURIComponent(password) }),
      });
  };

  it.each(noCredentials.filter(([, text]) => text !== ""))("is refused if it is %s", async (_what, text) => {
    expectRefused(await refusalOf(proxyOf("me", text)));
    expectRefused(await refusalOf(proxyOf(text, "pa55-of-mine")));
  });

  it("may be a user name alone, or a password alone", () => {
    expect(proxyOf("token-of-mine", "")).not.toThrow();
    expect(proxyOf("", "token-of-mine")).not.toThrow();
  });
});

describe("a credential that can be one", () => {
  it.each([
    "s",
    "0",
    "none-of-your-business",
    "true-north",
    "{5%$<>}x",
    "$2y$10$abcdefghijklmnopqrstuv",
    "naNcy",
    "[x",
    "a'b'c",
  ])("is accepted: %s", (text) => {
    expect(() => new ServiceApi({ ...url, clientId: text, clientSecret: text })).not.toThrow();
    expect(() => hmac({ header: "x-s", secrets: [text] })).not.toThrow();
    expect(() => basic({ credentials: [{ username: text, password: text }] })).not.toThrow();
  });

  it.each(["two words", "schlüssel", "गुप्त", "पासवर्ड १२३", "密码", "vector secret ₹"])(
    "is accepted for webhooks beyond ASCII: %s",
    (text) => {
      expect(() => hmac({ header: "x-s", secrets: [text] })).not.toThrow();
      expect(() => basic({ credentials: [{ username: text, password: text }] })).not.toThrow();
    },
  );
});
