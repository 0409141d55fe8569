import { z } from 'zod'
import { NANO_PER_USDC_UNIT } from '@/lib/contract/chains'
import { nano, usdNumber } from '@/lib/contract/money'
import { config } from '@/lib/kernel/config'
import { json } from '@/lib/pipeline/body'
import { uncachedJson } from '@/lib/pipeline/reply'
import { type Handle, notFound, route } from '@/lib/pipeline/route'
import { assertSameOrigin } from '@/lib/services/identity/same-origin-cookie'
import { assertAddress, countVisit, FAUCET_UNITS, fundAddress } from '@/lib/services/payments/faucet'

const FaucetRequest = z.strictObject({ address: z.string().max(64) })
const parse = json(FaucetRequest, { maxBytes: 1_024 })

// Funds a wallet with test money; absent where money is real.
const fund: Handle = async (context, request, params) => {
  if (!config().isSandbox) return notFound(context, request, params)
  assertSameOrigin(context, 'The faucet is for the service’s own pages. Use `npm run admin -- sandbox fund`.')
  const { address } = await parse(context, request)
  assertAddress(address)
  countVisit(address)
  await fundAddress(address, FAUCET_UNITS)
  const funded = usdNumber(nano(FAUCET_UNITS * NANO_PER_USDC_UNIT))
  return uncachedJson({ funded, address })
}

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ POST: fund })
