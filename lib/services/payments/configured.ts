import type { Rail } from '@/lib/services/chains/rails'
import { paymentError } from '@/lib/services/payments/errors'

/** @throws ApiError X402_NOT_CONFIGURED when there is no way to pay. */
export function assertConfigured(rails: Rail[]): void {
  if (rails.length > 0) return
  throw paymentError('X402_NOT_CONFIGURED', 'This service takes no wallet payments. Use an API key with credit.')
}
