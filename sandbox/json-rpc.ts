export type RpcRequest = { jsonrpc: '2.0'; id: string | number | null; method: string; params: unknown[] }
export type RpcReply = { jsonrpc: '2.0'; id: string | number | null } & ({ result: unknown } | { error: RpcFault })
export type RpcFault = { code: number; message: string; data?: unknown }

export class RpcError extends Error {
  override name = 'RpcError'
  readonly code: number
  readonly data?: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603

export function parseRequest(value: unknown): RpcRequest {
  if (typeof value === 'object' && value !== null && 'method' in value && typeof value.method === 'string') {
    const params = 'params' in value && Array.isArray(value.params) ? (value.params as unknown[]) : []
    return { jsonrpc: '2.0', id: idOf(value), method: value.method, params }
  }
  throw new RpcError(INVALID_REQUEST, 'Invalid request')
}

export function failure(id: RpcRequest['id'], error: unknown): RpcReply {
  if (!(error instanceof RpcError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message } }
  }
  const { code, message, data } = error
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

function idOf(value: object): RpcRequest['id'] {
  const id = 'id' in value ? value.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
