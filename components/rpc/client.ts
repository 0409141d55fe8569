import { API_ROOT, errorOf } from '@/lib/browser/api'
import type { ApiError } from '@/lib/contract/errors'
import type { RpcSlug } from '@/lib/contract/rpc-networks'

// `params` is a list, or an object where the method takes names.
export type RpcCallDraft = { method: string; params: unknown }

export type RpcAnswer = {
  network: RpcSlug
  calls: readonly RpcCallDraft[]
  isBatch: boolean
  // Unix milliseconds.
  at: number
  status: number
  ms: number
  bytes: number
  // The body as it came: JSON of the node, untouched, or an error of the service.
  text: string
  headers: [name: string, value: string][]
  credits?: number
  costUsd?: number
  requestId?: string
  isReplayed: boolean
  // Set when the service, not the node, refused the call.
  failure?: ApiError
}

export function bodyOf(calls: readonly RpcCallDraft[], isBatch: boolean): unknown {
  const items = calls.map(({ method, params }, index) => ({ jsonrpc: '2.0', id: index + 1, method, params }))
  return isBatch ? items : items[0]
}

/**
 * Sends calls to a network for the signed-in person. An error of the service is an answer, too.
 * @throws TypeError or DOMException when there was no answer.
 */
export async function callRpc(
  network: RpcSlug,
  calls: readonly RpcCallDraft[],
  {
    isBatch = false,
    idempotencyKey,
    signal,
  }: { isBatch?: boolean; idempotencyKey?: string; signal?: AbortSignal } = {},
): Promise<RpcAnswer> {
  const at = Date.now()
  const startedAt = performance.now()
  const response = await fetch(`${API_ROOT}/crypto/rpc/${network}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(bodyOf(calls, isBatch)),
    signal: signal ?? null,
  })
  const copy = response.ok ? undefined : response.clone()
  const body = await response.arrayBuffer()
  const ms = performance.now() - startedAt
  const number = (name: string) => {
    const value = response.headers.get(name)
    return value === null ? undefined : Number(value)
  }
  return {
    network,
    calls,
    isBatch,
    at,
    status: response.status,
    ms,
    bytes: body.byteLength,
    text: new TextDecoder().decode(body),
    headers: [...response.headers],
    credits: number('x-service-rpc-credits'),
    costUsd: number('x-service-rpc-cost-usd'),
    requestId: response.headers.get('x-request-id') ?? undefined,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    failure: copy && (await errorOf(copy)),
  }
}
