import type {
  ALBHandler,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
} from "aws-lambda";
import { lambdaHandler } from "serviceapi/node";
import { custom, hmac, memoryStore, type WebhookCheck, WebhookError, Webhooks } from "serviceapi/webhooks";
import { ipAllowList } from "serviceapi/webhooks/ip";

export const secret = "of this function alone";
export const credited: string[] = [];
/** Why deliveries were refused. */
export const refusals: string[] = [];
const signature = hmac({ header: "x-signature", secrets: [secret] });

const webhooksWith = (...auth: WebhookCheck[]) => new Webhooks({ auth, store: memoryStore(), findOrder: "none" });

export const webhooks = webhooksWith(signature);
export const handler = lambdaHandler(handlerOf(webhooks));
/** The same for senders of one network. */
export const limited = lambdaHandler(handlerOf(webhooksWith(signature, ipAllowList(["203.0.113.0/24"]))));

/** A load balancer appends the sender's IP address to what the sender wrote into the header. */
const sentFrom = (address: string) =>
  custom((delivery) => delivery.header("x-forwarded-for")?.split(",").at(-1)?.trim() === address);
export const limitedBehindLoadBalancer = lambdaHandler(handlerOf(webhooksWith(signature, sentFrom("203.0.113.7"))));

function handlerOf(receiver: Webhooks) {
  return receiver.handler({
    SUCCESS: (event) => credited.push(event.client_referenceId),
    FAILED() {},
    REJECTED() {},
    onFailure: (error) => refusals.push(WebhookError.isInstance(error) ? error.reason : String(error)),
  });
}

// An exported function has the type of its trigger.
handler satisfies ALBHandler;
handler satisfies APIGatewayProxyHandler;
handler satisfies APIGatewayProxyHandlerV2;
handler satisfies LambdaFunctionURLHandler;
