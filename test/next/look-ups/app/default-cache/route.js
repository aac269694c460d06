import { ServiceApi } from "serviceapi";

/** Requests are cached unless they say otherwise, as in Next.js 14 without this line. */
export const fetchCache = "default-cache";

export async function GET() {
  const { vpa } = await new ServiceApi().verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  return new Response(vpa);
}
