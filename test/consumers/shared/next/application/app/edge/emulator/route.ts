import { emulate } from "../../../routes";

export const runtime = "edge";
export const dynamic = "force-dynamic";
export const GET = emulate;
