import type { CoveredOperation } from '@/e2e/servers/coverage/operations'
import type { FuzzStage } from '@/e2e/servers/fuzz/stage'
import { evmProof } from '@/e2e/testing/wallet-stage'

/** A request beyond its method and address. */
export type Sent = {
  /** In place of the operation's, below the base. */
  path?: string
  query?: Record<string, string>
  /** Sent as it is when it is text already. */
  json?: unknown
  form?: Record<string, FormValue>
  headers?: Record<string, string>
}
export type FormValue = string | { name: string; type: string; bytes: Buffer }

export type Seen = {
  status: number
  headers: Headers
  text: string
  code?: string
  /** Where a 400 says that something is wrong, a path each. */
  named: (string | number)[][]
}

export type Credentials = Record<string, string>

/** The credentials that an operation asks for first. A wallet's are good once. */
export async function fittingCredentials(
  { access }: CoveredOperation,
  { keys, wallet, stage }: FuzzStage,
): Promise<Credentials> {
  if (access === 'wallet') return { 'sign-in-with-x': await evmProof(stage.baseUrl, wallet) }
  if (access === 'admin') return bearer(keys.ADMIN_KEY)
  return access === 'paid' || access === 'key' ? bearer(keys.KEY) : {}
}

export const bearer = (key: string): Credentials => ({ authorization: `Bearer ${key}` })

/** Asks an operation. @returns what came, read to its end */
export async function askOperation(
  operation: CoveredOperation,
  { path = operation.address, query = {}, json, form, headers = {} }: Sent,
  credentials: Credentials,
  { stage }: FuzzStage,
): Promise<Seen> {
  const search = new URLSearchParams(query).toString()
  const text = typeof json === 'string' ? json : JSON.stringify(json)
  const response = await fetch(`${stage.baseUrl}${path}${search && `?${search}`}`, {
    method: operation.method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers, ...credentials },
    body: form ? formOf(form) : text,
  })
  return seenOf(response)
}

function formOf(fields: Record<string, FormValue>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, new Blob([Uint8Array.from(value.bytes)], { type: value.type }), value.name)
  }
  return form
}

type ErrorBody = { code?: string; error?: unknown; issues?: { path: (string | number)[] }[] }

async function seenOf(response: Response): Promise<Seen> {
  const { status, headers } = response
  const text = await response.text()
  const isJson = headers.get('content-type')?.startsWith('application/json')
  const body: ErrorBody = status >= 400 && isJson ? JSON.parse(text) : {}
  return { status, headers, text, code: codeOf(body), named: (body.issues ?? []).map(({ path }) => path) }
}

/** Errors of payments have theirs in `error`, those of common clients in an object there. */
function codeOf({ code, error }: ErrorBody): string | undefined {
  if (code !== undefined) return code
  if (typeof error === 'string') return /^[A-Z_]+$/.test(error) ? error : undefined
  return (error as { code?: string } | undefined)?.code
}
