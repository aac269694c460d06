import { chat } from "../../../routes";

export const runtime = "nodejs";
export const POST = chat;
