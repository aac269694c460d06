import { createHook } from "../../../routes";

export const runtime = "nodejs";
export const POST = createHook();
