import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from "node:tls";
import { onTestFinished } from "vitest";

/** A key made for these tests, and its certificate for localhost, api.example.com and 127.0.0.1, until 2126. */
export const key = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCiLWUgJuJFjBtBMC
KpSamIRRJxOxJV6msbw12HPQwFOhRANCAATz5V+UzwSHQC6tSlcDOyjJBVSEdVLF
ROdQnnMlmbmIv1/dNV0w6uVBMzgnwbJf51XWsT2jP0b0LE+v6Ksq4eoh
-----END PRIVATE KEY-----
`;

/** The certificate of {@link key}: its own authority. */
export const cert = `
-----BEGIN CERTIFICATE-----
MIIBuTCCAV+gAwIBAgIUX8ihBbJiWUiR5auTBzA5uZW1JNcwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPc2VydmljZWFwaSB0ZXN0MCAXDTI2MTEyMTIxMDY1N1oYDzIx
MjYxMDI4MjEwNjU3WjAaMRgwFgYDVQQDDA9zZXJ2aWNlYXBpIHRlc3QwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAATz5V+UzwSHQC6tSlcDOyjJBVSEdVLFROdQnnMl
mbmIv1/dNV0w6uVBMzgnwbJf51XWsT2jP0b0LE+v6Ksq4eoho4GAMH4wHQYDVR0O
BBYEFHobAIU48Z8lS8CSZA53h+u3MpI1MB8GA1UdIwQYMBaAFHobAIU48Z8lS8CS
ZA53h+u3MpI1MA8GA1UdEwEB/wQFMAMBAf8wKwYDVR0RBCQwIoIJbG9jYWxob3N0
gg9hcGkuZXhhbXBsZS5jb22HBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgc6JnxEUV
588hOyyw85UdDqnEowOYM3GJaOa5xg2CJXwCIQCp0aCbno2YJuT3EUuNWB7UxH2U
4bXeA7GNfgv0mdb6Kw==
-----END CERTIFICATE-----
`;

const succeeds: RequestListener = (_request, response) => response.end('{"status":"SUCCESS"}');

/** Starts an HTTPS server on loopback that closes after the test, and returns its port. */
export async function startTls(listener: RequestListener = succeeds, options: TlsOptions = {}): Promise<number> {
  const server = createServer({ key: key.trim(), cert: cert.trim(), ...options }, listener);
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a TLS server of bare bytes. */
export async function startBareTls(onSocket: (socket: TLSSocket) => void, options: TlsOptions = {}): Promise<number> {
  const sockets = new Set<TLSSocket>();
  const server = createTlsServer({ key: key.trim(), cert: cert.trim(), ...options }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
