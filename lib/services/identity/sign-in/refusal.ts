import { ApiError, type ErrorCode } from '@/lib/contract/errors'

type SignInCode = Extract<ErrorCode, `X402_SIGN_IN_${string}`>

/** A proof that does not prove it, by the step that found out. Source: API contract, x402.md 3.4. */
export const refuseSignIn = (
  code: SignInCode extends `X402_SIGN_IN_${infer Name}` ? Name : never,
  message: string,
): ApiError => new ApiError(`X402_SIGN_IN_${code}`, message)

/** Too much at once, or a node or worker that does not answer: the same proof may be sent again, its nonce is unspent. */
export const signInUnavailable = (message: string, retryAfterSeconds: number, cause?: unknown): ApiError =>
  new ApiError('SERVICE_UNAVAILABLE', `${message} Nothing was spent; send the same sign-in again.`, {
    retryAfterSeconds,
    cause,
  })
