/** One delivery as each trigger passes it. Only what identifies an AWS account is made up. */
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2, LambdaFunctionURLEvent } from "aws-lambda";

export interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const sender = "203.0.113.7";
const path = "/webhooks/payouts";
const host = "pay.example.in";

/** Headers as clients send them, which API Gateway v1 and load balancers pass on as they were written. */
const capitals = (headers: Delivery["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.replace(/^x-/, "X-"), value]));
const lists = (headers: Delivery["headers"]) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

export function gatewayV1({ headers, body }: Delivery): APIGatewayProxyEvent {
  const sent = { ...capitals(headers), Host: host, "X-Forwarded-For": sender };
  return {
    resource: path,
    path,
    httpMethod: "POST",
    headers: sent,
    multiValueHeaders: lists(sent),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "1234567890",
      authorizer: undefined,
      protocol: "HTTP/1.1",
      httpMethod: "POST",
      path: `/prod${path}`,
      stage: "prod",
      requestId: "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
      requestTimeEpoch: 1_800_000_000_000,
      resourceId: "123456",
      resourcePath: path,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: sender,
        user: null,
        userAgent: "payouts/2.3.12",
        userArn: null,
      },
    },
    body,
    isBase64Encoded: false,
  };
}

export function gatewayV2({ headers, body }: Delivery): APIGatewayProxyEventV2 {
  return {
    version: "2.0",
    routeKey: `POST ${path}`,
    rawPath: path,
    rawQueryString: "",
    headers: { ...headers, host, "x-forwarded-for": sender },
    requestContext: {
      accountId: "123456789012",
      apiId: "api-id",
      domainName: host,
      domainPrefix: "pay",
      http: { method: "POST", path, protocol: "HTTP/1.1", sourceIp: sender, userAgent: "payouts/2.3.12" },
      requestId: "id",
      routeKey: `POST ${path}`,
      stage: "$default",
      time: "12/Mar/2026:19:03:58 +0000",
      timeEpoch: 1_800_000_000_000,
    },
    body,
    isBase64Encoded: false,
  };
}

/** A function URL passes bodies of other content types than text and JSON as base64; so do the others. */
export function functionUrl(delivery: Delivery): LambdaFunctionURLEvent {
  const event = gatewayV2(delivery);
  return { ...event, routeKey: "$default", body: base64(delivery.body), isBase64Encoded: true };
}

export function loadBalancer({ headers, body }: Delivery): ALBEvent {
  return {
    requestContext: {
      elb: { targetGroupArn: "arn:aws:elasticloadbalancing:ap-south-1:123456789012:targetgroup/pay/49e9d65c45c6791a" },
    },
    httpMethod: "POST",
    path,
    queryStringParameters: {},
    headers: { ...headers, host, "x-forwarded-for": `198.51.100.1, ${sender}`, "x-forwarded-proto": "https" },
    body,
    isBase64Encoded: false,
  };
}

/** With multi-value headers enabled, a load balancer passes these only, and reads only these of the response. */
export function multiValueLoadBalancer(delivery: Delivery): ALBEvent {
  const { headers, queryStringParameters: _, ...event } = loadBalancer(delivery);
  return {
    ...event,
    multiValueQueryStringParameters: {},
    multiValueHeaders: lists(headers as Record<string, string>),
    body: base64(delivery.body),
    isBase64Encoded: true,
  };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
