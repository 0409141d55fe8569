import 'server-only'
import { ApiError } from '@/lib/contract/errors'

/**
 * A cap of the proxy is reached. `customMessage` names the cap and says when it eases. Source: API contract,
 * crypto-rpc.md "Limits".
 */
export function limitReached(message: string, customMessage: string, retryAfterSeconds: number): ApiError {
  const code = 'RATE_LIMIT_EXCEEDED'
  return new ApiError(code, message, { retryAfterSeconds, body: { error: message, code, customMessage } })
}
