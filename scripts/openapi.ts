/**
 * Writes dist/openapi.json: the service as an OpenAPI 3.1 document, for other languages, mocks and API clients, from the
 * operations and their schemas. Rules that are functions here, such as those between fields, are left out.
 * Not a part of the command: zod's converter would set a global variable in every program that imports the library.
 *
 *   npx tsx scripts/openapi.ts
 */
import { writeFileSync } from "node:fs";
import * as z from "zod/mini";
import * as ai from "../src/ai/schemas.ts";
import { book, fareQuote, fareRule } from "../src/flights/operations.ts";
import * as flights from "../src/flights/schemas.ts";
import { createResponse, findVpas } from "../src/index.ts";
import type { Operation } from "../src/operation.ts";
import { defaults } from "../src/options.ts";
import { zodOf } from "../src/shared/explain.ts";
import { findVpasParamsSchema, vpaResultSchema } from "../src/verification/schemas.ts";
import { version } from "../src/version.ts";
import { statusCodes } from "../src/webhooks/events.ts";
import { shapes, typeOf } from "../src/webhooks/receive/parse-event.ts";

type Schema = z.core.$ZodType;
type Json = Readonly<Record<string, unknown>>;

/** An endpoint: its operation, and its schemas. */
type Endpoint = readonly [
  operation: Pick<Operation<never, unknown>, "name" | "area" | "path" | "autofill">,
  summary: string,
  request: Schema,
  response: Schema,
  events?: Schema,
];

const aiRequest = z.extend(zodOf(ai.createResponseRequest) as z.ZodMiniObject, {
  client_referenceId: z.string().check(z.minLength(1), z.maxLength(30)),
  stream: z.optional(z.boolean()),
});
const aiEvents = z.union(
  [ai.responseInitiated, ai.responseOutput, ai.responseCompleted].map((schema) => zodOf(schema)),
);

const endpoints: readonly Endpoint[] = [
  [findVpas, "Finds the UPI IDs of a mobile number", zodOf(findVpasParamsSchema), zodOf(vpaResultSchema)],
  [
    createResponse,
    "Generates an AI response, whole or as a stream of events",
    aiRequest,
    zodOf(ai.aiResponse),
    aiEvents,
  ],
  [book, "Books a flight: send it once", zodOf(flights.bookParamsSchema), zodOf(flights.bookingSchema)],
  [fareQuote, "Quotes the fare of a flight", zodOf(flights.searchParamsSchema), zodOf(flights.fareQuoteSchema)],
  [fareRule, "Returns the fare rules of a flight", zodOf(flights.searchParamsSchema), zodOf(flights.fareRuleSchema)],
];

const headers = { clientId: "client-id", clientSecret: "client-secret" };
const text = { type: "string" };

writeFileSync("dist/openapi.json", `${JSON.stringify(document())}\n`);

function document(): Json {
  const scheme = ([key, name]: readonly [string, string]) => [key, { type: "apiKey", in: "header", name }];
  return {
    openapi: "3.1.0",
    info: {
      title: "UPI verification, AI responses, flights and payout webhooks",
      version,
      description: `Written by serviceapi ${version} from the schemas with which it checks requests and responses.`,
    },
    servers: [{ url: "https://{host}", variables: { host: { default: "api.example.com" } } }],
    security: [Object.fromEntries(Object.keys(headers).map((key) => [key, []]))],
    paths: Object.fromEntries(endpoints.map((endpoint) => [pathOf(endpoint), { post: operationOf(endpoint) }])),
    webhooks: { payout: { post: notification() } },
    components: { securitySchemes: Object.fromEntries(Object.entries(headers).map(scheme)) },
  };
}

function pathOf([{ area, path }]: Endpoint): string {
  const prefix = Reflect.get(defaults.pathPrefixes, area);
  return `/${prefix ? `${prefix}/` : ""}${path}`;
}

function operationOf([operation, summary, request, response, events]: Endpoint): Json {
  const content = { ...json(schemaOf(response)), ...(events && { "text/event-stream": { schema: schemaOf(events) } }) };
  const refusal = { type: "object", required: ["status", "message"], properties: { status: text, message: text } };
  return {
    operationId: operation.name,
    summary,
    requestBody: { required: true, content: json(sentSchemaOf(request, operation.autofill)) },
    responses: {
      200: { description: "A success. A refusal may have this status, too: `status` decides.", content },
      default: { description: "A refusal", content: json(refusal) },
    },
  };
}

/** The library fills some fields in. Whoever sends a request without it has to pass them. */
function sentSchemaOf(request: Schema, autofill: readonly string[]): Json {
  const schema = schemaOf(request);
  const required = Array.isArray(schema.required) ? schema.required : [];
  return { ...schema, required: [...new Set([...required, ...autofill])] };
}

function schemaOf(schema: Schema): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { unrepresentable: "any" });
  return rest;
}

/** §6.2, and the acknowledgement of §6.3. */
function notification(): Json {
  const fields = shapes.SUCCESS.all.map((name) => [name, { type: typeOf(name) }] as const);
  const properties = Object.fromEntries(fields);
  const oneOf = Object.entries(shapes).map(([status, { all: required, shown }]) => {
    const absent = Object.entries(shown).flatMap(([name, value]) => (value === null ? [[name, false]] : []));
    return {
      type: "object",
      required,
      properties: { ...properties, ...Object.fromEntries(absent), status: { const: status } },
    };
  });
  const { REJECTED: _, ...codes } = statusCodes;
  const acknowledgement = Object.entries(codes).map(([status, statusCode]) => ({
    type: "object",
    required: ["http_status", "status", "client_referenceId", "statusCode", "acknowledged"],
    properties: {
      ...{ http_status: { const: true }, status: { const: status }, client_referenceId: text },
      ...{ statusCode: { const: statusCode }, acknowledged: { const: "1" } },
    },
  }));
  return {
    summary: "Notifies your callback URL of the final status of a payout",
    security: [],
    requestBody: { required: true, content: json({ oneOf }) },
    responses: { 200: { description: "Within seven seconds", content: json({ oneOf: acknowledgement }) } },
  };
}

function json(schema: Json): Json {
  return { "application/json": { schema } };
}
