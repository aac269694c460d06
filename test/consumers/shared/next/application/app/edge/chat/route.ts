import { chat } from "../../../routes";

export const runtime = "edge";
export const POST = chat;
