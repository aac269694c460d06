import { createHook } from "../../../routes";

export const runtime = "edge";
export const POST = createHook();
