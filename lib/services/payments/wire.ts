import 'server-only'
import { isUtf8 } from 'node:buffer'
import { z } from 'zod'
import type { ApiError } from '@/lib/contract/errors'
import { PAYMENT_HEADERS } from '@/lib/contract/headers'
import { paymentError } from '@/lib/services/payments/errors'

const MAX_HEADER_CHARACTERS = 16_384
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

const version = z.union([z.literal(1), z.literal(2)])
const payload = z.record(z.string(), z.unknown())
const Terms = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.unknown(),
  asset: z.string(),
  payTo: z.string(),
})

const ShapeA = z.object({ x402Version: version, accepted: Terms, payload })
const ShapeB = z.object({ x402Version: version, scheme: z.string(), network: z.string(), payload })

export type Envelope = {
  scheme: string
  network: string
  accepted?: { amount: unknown; asset: string; payTo: string }
  payload: Record<string, unknown>
}

export const paymentHeader = (headers: Headers): string | undefined =>
  PAYMENT_HEADERS.map((name) => headers.get(name)?.trim()).find(Boolean)

export function decodeEnvelope(header: string): Envelope {
  const value = decodeJson(header)
  const hasTerms = typeof value === 'object' && value !== null && 'accepted' in value && value.accepted != null
  if (hasTerms) {
    const parsed = ShapeA.safeParse(value)
    if (!parsed.success) throw malformed(describe(parsed.error))
    const { accepted, payload } = parsed.data
    return { scheme: accepted.scheme, network: accepted.network, accepted, payload }
  }
  const parsed = ShapeB.safeParse(value)
  if (!parsed.success) throw malformed(describe(parsed.error))
  const { scheme, network, payload } = parsed.data
  return { scheme, network, payload }
}

function decodeJson(header: string): unknown {
  if (header.length > MAX_HEADER_CHARACTERS) throw malformed('The payment header is longer than 16 KiB.')
  if (!BASE64.test(header)) throw malformed('The payment header is not base64.')
  const bytes = Buffer.from(header, 'base64')
  if (!isUtf8(bytes)) throw malformed('The payment header is not base64 of JSON text.')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw malformed('The payment header is not base64 of a JSON object.', cause)
  }
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues
  return `The payment is not in a known form: ${issue?.path.join('.') || 'payload'} is missing or wrong.`
}

export function malformed(message: string, cause?: unknown): ApiError {
  return paymentError('INVALID_PAYMENT_FORMAT', message, { cause })
}
