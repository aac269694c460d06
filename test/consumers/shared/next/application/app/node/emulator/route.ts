import { emulate } from "../../../routes";

export const runtime = "nodejs";
export const dynamic = "force-dynamic";
export const GET = emulate;
