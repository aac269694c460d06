import { type Dialect, edited, eventsOf, type Reply, replaced } from "./support.ts";

/** A dialect, the flags that it needs, and the assumptions that it breaks. */
export interface DialectCase {
  readonly dialect: Dialect;
  readonly flags?: readonly string[];
  readonly breaks: readonly string[];
}

const vpaResult = {
  ...{ status: "success", statusCode: "101", partner_id: "P1", name: "ASHA EXAMPLE", vpa: "asha@examplebank" },
  ...{ vpaList: ["asha@examplebank"], count: 1, description: "found", accountStatus: "VALID", message: "found" },
};

/** Five services that differ from the document, each in other places. Together they break every assumption. */
export const dialects: Readonly<Record<string, DialectCase>> = {
  "one style for all, with other fields": {
    dialect: {
      verify: edited(
        ({ statusCode, description, clientData, ...rest }) => ({
          ...{ ...rest, status: "SUCCESS", status_code: Number(statusCode), accountStatus: "ACTIVE" },
          ...{ clientData: { ...clientData, client_id: "another" }, txn_no: "T-1" },
        }),
        { headers: { "content-type": "application/json", "x-acme-request-id": "r-1" } },
      ),
      quote: edited((body) => body, { status: 400 }),
      rules: edited((body) => ({ ...body, status: "OK" })),
    },
    breaks: [...["A1.statusWord", "A2.httpStatus", "A8.requestId", "V2.clientId", "V4.accountStatus"]],
  },
  "the second path, another stream and other times": {
    flags: ["--path-prefix", "ai=partner/api/serviceapi-prod/api"],
    dialect: {
      ask: (reply, _, { path }) => (path.startsWith("/partner/") ? withOtherToken(reply) : notFound),
      stream: (reply, _, { path }) => (path.startsWith("/partner/") ? otherStream(reply) : notFound),
      quote: edited((body) => {
        for (const result of body.data.result) {
          result.last_ticket_date = "1970-01-01 00:00:00";
          for (const { origin } of result.segments) origin.departure_time = "1763620000";
        }
        return body;
      }),
    },
    breaks: ["I2.sequence", "I6.contextToken", "F3.noTime", "F4.timeZone"],
  },
  "refusals, a redirect and a stream that breaks off": {
    dialect: {
      refusal: replaced(200, { status: "failed", statusCode: "461", message: "Numero invalide" }),
      verify: edited((body) => ({ ...body, status: "pending", statusCode: "102" })),
      ask: replaced(400, { status: "FAILED", status_code: "400", message: "client_referenceId must be numeric" }),
      stream: (reply) => {
        const [initiated, output] = eventsOf(reply);
        return sse(reply, [initiated, output, { event: "stream_error", error: "overloaded" }]);
      },
      quote: replaced(422, { status: "FAILED", status_code: "422", message: "The field user is required" }),
      rules: replaced(302, "", { location: "https://other.example/" }),
    },
    breaks: ["T3.redirect", "T7.unnamedFields", "T8.reference", "A3.kind", "V5.pending"],
  },
  "more, later and less often than assumed": {
    flags: ["--timeout", "4000"],
    dialect: {
      refusal: replaced(200, { ...vpaResult, clientData: { client_id: "client-of-mine", mobile: "12345" } }),
      verify: (reply) => ({ ...reply, text: reply.text + " ".repeat(17 * 1024 * 1024) }),
      ask: replaced(406, "<h1>Not Acceptable</h1>"),
      stream(reply, response) {
        const [initiated, output] = eventsOf(reply);
        response.writeHead(200, reply.headers).write(sse(reply, [initiated, output]).text);
        return undefined;
      },
      quote: () => undefined,
      rules: replaced(
        429,
        { status: "FAILED", status_code: "429", message: "Too many requests" },
        { "retry-after": "120" },
      ),
    },
    breaks: ["T6.headers", "D1.duration", "D3.pauses", "D4.size", "D6.retryAfter", "A5.rules"],
  },
  "another framing, another number and other fees": {
    dialect: {
      verify: replaced(400, { status: "failed", statusCode: "400", message: "Invalid mobile number format" }),
      ask: () => notFound,
      stream: (reply) => ({
        ...reply,
        headers: { "content-type": "text/plain" },
        text: eventsOf(reply)
          .map((event) => JSON.stringify(event))
          .map((text) => `${text.length}:${text}`)
          .join(""),
      }),
      quote: edited((body) => {
        for (const { mini_fare_rules } of body.data.result) {
          for (const rule of mini_fare_rules) Object.assign(rule, { unit: "WEEKS", charges: "on request" });
        }
        return body;
      }),
      rules: edited(({ data: { result: _, ...data }, ...body }) => ({ ...body, data })),
    },
    breaks: ["T1.path", "A4.essential", "V3.mobile", "I1.framing", "F11.miniRules"],
  },
};

const notFound: Reply = { status: 404, headers: { "content-type": "text/html" }, text: "<h1>Not Found</h1>" };

function sse(reply: Reply, events: readonly object[]): Reply {
  return { ...reply, text: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") };
}

function withOtherToken(reply: Reply): Reply {
  return { ...reply, text: reply.text.replaceAll('"svc_', '"ctx_') };
}

/** NDJSON, which keeps all assumptions, numbers from 4, other words at the end, and a second beginning. */
function otherStream(reply: Reply): Reply {
  const [initiated, ...events] = eventsOf(withOtherToken(reply));
  const changed = events.map((event) => {
    if (event.event === "response_output") return { ...event, sequence_no: event.sequence_no + 3 };
    return event.event === "response_completed" ? { ...event, system: { ...event.system, text: "Other." } } : event;
  });
  return {
    ...reply,
    headers: { "content-type": "application/x-ndjson" },
    text: [initiated, initiated, ...changed].map((event) => `${JSON.stringify(event)}\n`).join(""),
  };
}
