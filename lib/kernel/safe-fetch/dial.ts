import 'server-only'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { literalAddress } from '@/lib/kernel/safe-fetch/public-address'
import { refused } from '@/lib/kernel/safe-fetch/refused'
import type { Address } from '@/lib/kernel/safe-fetch/resolve'
import { portOf } from '@/lib/kernel/safe-fetch/target'

const CONNECT_MS = 5_000
const NEXT_ADDRESS_MS = 1_000

/**
 * Connects to one of these addresses only; TLS verifies the URL's host name. The caller destroys the socket.
 *
 * @throws FetchRefused 'timeout', the signal's reason when aborted, or the error of the connection.
 */
export function dial(url: URL, addresses: Address[], options: { signal: AbortSignal; ca?: string }): Promise<Socket> {
  const { signal } = options
  signal.throwIfAborted()
  const host = literalAddress(url.hostname) ?? url.hostname.replace(/\.$/, '')
  const target = {
    host,
    port: portOf(url),
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    noDelay: true,
  }
  const isTls = url.protocol === 'https:'
  const socket = isTls
    ? connectTls({
        ...target,
        servername: isIP(host) ? undefined : host,
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: true,
        ca: options.ca,
      })
    : connectTcp(target)
  const outcome = Promise.withResolvers<Socket>()
  const fail = (reason: unknown) => {
    socket.destroy()
    outcome.reject(reason)
  }
  const leave = () => fail(signal.reason)
  const timer = setTimeout(() => fail(refused('timeout', 'connect')), CONNECT_MS)
  signal.addEventListener('abort', leave)
  socket.on('error', outcome.reject)
  socket.once('close', () => outcome.reject(new Error('The connection closed at once')))
  socket.once(isTls ? 'secureConnect' : 'connect', () => outcome.resolve(socket))
  return outcome.promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  })
}

function pinned(addresses: Address[]): LookupFunction {
  return (_hostname, options, done) => {
    const wanted = addresses.filter(({ family }) => !options.family || options.family === family)
    const first = wanted[0]
    if (options.all) done(null, wanted)
    else if (first) done(null, first.address, first.family)
    else done(new Error('No address of that family'), '', 0)
  }
}
