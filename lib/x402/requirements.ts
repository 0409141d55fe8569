import 'server-only'
import { config } from '@/lib/core/config'
import type { RequestContext } from '@/lib/core/context'
import { ApiError } from '@/lib/core/errors'

const X402_VERSION = 2
/** A fixed value: clients match it. Source: API contract, README 7.3. */
const PAYMENT_REQUIRED = 'Payment required'

/**
 * The 402 for a request without credentials on a paid route: how to pay or sign in. With no payment rail configured
 * `accepts` is empty and no wallet challenge is offered. Source: API contract, x402.md 2.2.
 */
export function discovery(context: RequestContext): ApiError {
  const { origin, serviceName } = config()
  const terms = {
    x402Version: X402_VERSION,
    error: PAYMENT_REQUIRED,
    resource: { url: origin + context.path, description: `${serviceName} inference API`, mimeType: 'application/json' },
    accepts: [],
  }
  const docs = `${origin}/docs`
  const authOptions = {
    apiKey: { header: 'Authorization: Bearer <API_KEY>', getKey: `${origin}/keys`, docs },
    x402Wallet: { header: 'SIGN-IN-WITH-X', legacyHeader: 'X-Sign-In-With-X', topUp: 'POST /api/v1/x402/top-up', docs },
  }
  return new ApiError('PAYMENT_REQUIRED', PAYMENT_REQUIRED, {
    body: { ...terms, authOptions },
    headers: { 'PAYMENT-REQUIRED': Buffer.from(JSON.stringify(terms)).toString('base64'), 'Cache-Control': 'no-store' },
  })
}
