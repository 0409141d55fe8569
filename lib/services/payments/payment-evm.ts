import 'server-only'
import { getAddress, zeroAddress } from 'viem'
import { z } from 'zod'
import type { Rail } from '@/lib/services/chains/rails'
import { malformed, paymentError } from '@/lib/services/payments/errors'
import type { ReadPayload, TermChecks } from '@/lib/services/payments/payment-types'

const MAX_UINT256 = 2n ** 256n - 1n
const Signature = z.string().regex(/^0x([0-9a-fA-F]{2}){65,4096}$/)
const seconds = z
  .union([z.string().regex(/^\d{1,78}$/), z.int().min(0)])
  .transform((value) => BigInt(value))
  .refine((value) => value <= MAX_UINT256)

const Payload = z.object({
  signature: Signature,
  authorization: z.object({
    from: z.string(),
    to: z.string(),
    value: z.unknown(),
    validAfter: seconds,
    validBefore: seconds,
    nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  }),
})
const ADDRESS = /^0x[0-9a-f]{40}$/

export async function readEvmPayload(payload: unknown, rail: Rail, checks: TermChecks): Promise<ReadPayload> {
  const parsed = Payload.safeParse(payload)
  if (!parsed.success) {
    throw malformed(
      `The payload is not an EIP-3009 authorization: ${parsed.error.issues[0]?.path.join('.')} is missing or wrong.`,
    )
  }
  const { signature, authorization } = parsed.data
  const [from, to] = [authorization.from.toLowerCase(), authorization.to.toLowerCase()]
  checks.assertAsset(undefined)
  checks.assertRecipient(to === rail.payTo.toLowerCase())
  const amount = checks.assertAmount(authorization.value)
  assertPayer(from, to)
  const { validAfter, validBefore } = authorization
  const nonce = hex(authorization.nonce)
  return {
    family: 'evm',
    key: evmKey(rail, from, nonce),
    payer: from,
    amount,
    validAfter,
    validBefore,
    payload: {
      signature: hex(signature),
      authorization: {
        // Some facilitators compare addresses as text, and this is the usual spelling.
        from: getAddress(from),
        to: getAddress(to),
        value: amount.toString(),
        validAfter: validAfter.toString(),
        validBefore: validBefore.toString(),
        nonce,
      },
    },
  }
}

/** The chain lets an authorizer use a nonce once, so this names one payment. */
export const evmKey = (rail: Rail, from: string, nonce: string): string =>
  `${rail.network}:${rail.asset}:${from}:${nonce}`.toLowerCase()

function assertPayer(from: string, to: string): void {
  if (ADDRESS.test(from) && from !== zeroAddress && from !== to) return
  throw paymentError('INVALID_PAYMENT_PAYER', 'The payer is not an address that can pay: 0x and 40 hex digits.')
}

const hex = (text: string) => text.toLowerCase() as `0x${string}`
