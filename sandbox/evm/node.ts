import { RpcError } from '../json-rpc'

const TIMEOUT_MS = 30_000

export type Ask = <T = unknown>(method: string, params?: unknown[]) => Promise<T>

type Reply<T> = { result: T; error?: undefined } | { error: { code: number; message: string; data?: unknown } }

/** @throws RpcError the node's answer; TypeError when it cannot be reached. */
export function createAsk(url: string): Ask {
  return async <T>(method: string, params: unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    // Our own node, whose methods answer what the caller names.
    const reply = (await response.json()) as Reply<T>
    if (reply.error) throw new RpcError(reply.error.code, reply.error.message, reply.error.data)
    return reply.result
  }
}
