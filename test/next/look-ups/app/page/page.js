import { ServiceApi } from "serviceapi";

/** Next.js renders a page at build time, unless something in it must not be cached. */
export default async function Page() {
  const { vpa } = await new ServiceApi().verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  return vpa;
}
