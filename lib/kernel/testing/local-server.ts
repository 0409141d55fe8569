import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TestCertificate } from '@/lib/kernel/testing/certificate'

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
