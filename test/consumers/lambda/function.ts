import type {
  ALBHandler,
  APIGatewayProxyHandler,
  APIGatewayProxyHandlerV2,
  LambdaFunctionURLHandler,
} from "aws-lambda";
import { custom, hmac, Webhooks } from "serviceapi/webhooks";
import { ipAllowList } from "serviceapi/webhooks/ip";
import { lambdaHandler } from "serviceapi/webhooks/lambda";

export const secret = "of this function alone";
export const credited: string[] = [];
/** Why deliveries were refused. */
export const refusals: string[] = [];
const signature = hmac({ header: "x-signature", secrets: [secret] });

export const webhooks = new Webhooks({ auth: [signature], expectedPayout: "none" });
export const handler = lambdaHandler(handlerOf(webhooks));
/** The same for senders of one network. */
export const limited = lambdaHandler(
  handlerOf(new Webhooks({ auth: [signature, ipAllowList(["203.0.113.0/24"])], expectedPayout: "none" })),
);

/** A load balancer appends the sender's IP address to what the sender wrote into the header. */
const sentFrom = (address: string) =>
  custom((delivery) => delivery.header("x-forwarded-for")?.split(",").at(-1)?.trim() === address);
export const limitedBehindLoadBalancer = lambdaHandler(
  handlerOf(new Webhooks({ auth: [signature, sentFrom("203.0.113.7")], expectedPayout: "none" })),
);

function handlerOf(receiver: Webhooks) {
  return receiver.handler({
    SUCCESS: (event) => credited.push(event.client_referenceId),
    FAILED() {},
    REJECTED() {},
    onRefused: (error) => refusals.push(error.reason),
  });
}

// An exported function has the type of its trigger.
handler satisfies ALBHandler;
handler satisfies APIGatewayProxyHandler;
handler satisfies APIGatewayProxyHandlerV2;
handler satisfies LambdaFunctionURLHandler;
