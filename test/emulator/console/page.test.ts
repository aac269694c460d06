import { controlTests } from "./page/controls.ts";
import { deliveryTests } from "./page/deliveries.ts";
import { hostileTests } from "./page/hostile.ts";
import { inChromium } from "./page/in-chromium.ts";
import { requestTests } from "./page/requests.ts";

inChromium(requestTests, controlTests, deliveryTests, hostileTests);
