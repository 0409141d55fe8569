import { verifySignIn } from '@/lib/access/sign-in/verify'
import { testContext } from '@/lib/access/testing'
import { ApiError } from '@/lib/core/errors'

/** What a request with this header is told: `admitted`, or the code of a 401 without what all of them begin with. */
export async function outcome(header: string): Promise<string> {
  try {
    await verifySignIn(testContext({ headers: { 'SIGN-IN-WITH-X': header } }), { mayRepeat: false })
    return 'admitted'
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return error.code.replace('X402_SIGN_IN_', '')
    throw error
  }
}
