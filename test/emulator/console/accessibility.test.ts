import { accessibilityTests } from "./page/accessibility.ts";
import { inChromium } from "./page/in-chromium.ts";

inChromium(accessibilityTests);
