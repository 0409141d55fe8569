import { ApiError } from '@/lib/contract/errors'
import { encodeHeader } from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext } from '@/lib/services/identity/testing'

/** What a request with these headers proves. */
export const verify = (headers: Record<string, string>, mayRepeat = false) =>
  verifySignIn(testContext({ headers }), { mayRepeat })

/** The same of a payload in its header. */
export const sent = (payload: unknown) => verify({ 'SIGN-IN-WITH-X': encodeHeader(payload) })

/** What a request with this header is refused with. */
export const refusalOf = (header: string): Promise<string> => refusal(verify({ 'SIGN-IN-WITH-X': header }))

/** The code of the refusal, without its prefix. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => new Error('was admitted'),
    (thrown) => thrown,
  )
  if (!(error instanceof ApiError) || error.status !== 401) throw error
  return error.code.replace('X402_SIGN_IN_', '')
}
