import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

type TestCertificate = { cert: string; key: string }

export type LocalServer = {
  port: number
  origin: string
  connections: number
  requests: { url: string; rawHeaders: string[] }[]
  open: () => number
  close: () => Promise<void>
}

export async function startLocalServer(
  handler: RequestListener = (_request, response) => void response.end('canary'),
  certificate?: TestCertificate,
): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  const listener: RequestListener = (request, response) => {
    local.requests.push({ url: request.url ?? '', rawHeaders: request.rawHeaders })
    return handler(request, response)
  }
  const server: Server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  const local: LocalServer = { port: 0, origin: '', connections: 0, requests: [], open: () => sockets.size, close }
  server.on('connection', (socket: Socket) => {
    local.connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0)
  await once(server, 'listening')
  local.port = (server.address() as AddressInfo).port
  local.origin = `${certificate ? 'https' : 'http'}://127.0.0.1:${local.port}`
  return local

  async function close() {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
}

const DAY_MS = 86_400_000

export function testCertificate(hostname: string): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const commonName = der(0x30, oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(hostname)))
  const name = der(0x30, der(0x31, commonName))
  const alternativeName = der(0x30, der(0x82, Buffer.from(hostname)))
  const extensions = der(0x30, der(0x30, oid(0x55, 0x1d, 0x11), der(0x04, alternativeName)))
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    der(0x30, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', body, privateKey))
  const certificate = der(0x30, body, ecdsaWithSha256, signature)
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function oid(...bytes: number[]): Buffer {
  return der(0x06, Buffer.of(...bytes))
}

function time(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${text}Z`))
}
