import type { JsonSchema } from '@/e2e/servers/fuzz/operations'
import type { FuzzRequest } from '@/e2e/servers/fuzz/requests'
import type { FuzzReply } from '@/e2e/servers/fuzz/send'
import type { DocumentCheck } from '@/lib/endpoints/docs/openapi/testing-check'

/** Whole numbers that a double has end there: the document does not say so of each. */
const LARGEST_WHOLE = String(Number.MAX_SAFE_INTEGER)

/** Rules of ours alone, and formats: what an address is, a parser decides, and no pattern tells in full. */
const UNTOLD = new Set(['custom', 'invalid_format'])

type Issue = { code: string; path: (string | number)[]; message: string }

/**
 * Where the document and the service disagree on a request: it was taken though the document forbids it, or refused by a rule
 * that the document could have told.
 */
export function disagreements(request: FuzzRequest, reply: FuzzReply, check: DocumentCheck): string[] {
  if (request.method !== request.operation.method) return []
  const faults = [...bodyFaults(request, check), ...queryFaults(request, check)]
  if (reply.status < 300) return faults.map((fault) => `was taken, though the document forbids it: ${fault}`)
  if (reply.status !== 400 || faults.length > 0 || !isJsonRequest(request) || parsedBody(request) === undefined)
    return []
  const told = issuesOf(reply.text).filter(
    ({ code, path, message }) => !UNTOLD.has(code) && path.length > 0 && !message.includes(LARGEST_WHOLE),
  )
  return told.map(({ path, message }) => `was refused, though the document allows it: ${path.join('.')}: ${message}`)
}

function isJsonRequest({ operation, body, headers }: FuzzRequest): boolean {
  const type = String(headers['content-type'] ?? '')
  return !!operation.json && !operation.json.isOptional && !!body && /^application\/json/i.test(type)
}

function bodyFaults(request: FuzzRequest, check: DocumentCheck): string[] {
  if (!isJsonRequest(request)) return []
  const sent = parsedBody(request)
  if (!sent) return ['the body is no JSON']
  return check.faultsOf(request.operation.json!.schema, sent.value)?.split(', ') ?? []
}

function parsedBody({ body }: FuzzRequest): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return undefined
  }
}

/** Of a parameter that is given twice the last counts; unknown ones are the business of the route. */
function queryFaults({ operation, address }: FuzzRequest, check: DocumentCheck): string[] {
  const sent = new URL(address, 'http://localhost').searchParams
  return operation.parameters.flatMap(({ name, in: place, schema }) => {
    const value = sent.getAll(name).at(-1)
    if (place !== 'query' || value === undefined) return []
    return check.faultsOf(schema, readAs(schema, value)) ?? []
  })
}

const readAs = ({ type }: JsonSchema, text: string): unknown =>
  (type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

function issuesOf(text: string): Issue[] {
  try {
    const { code, issues = [] } = JSON.parse(text) as { code: string; issues?: Issue[] }
    return code === 'INVALID_REQUEST' ? issues : []
  } catch {
    return []
  }
}
