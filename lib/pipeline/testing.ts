import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { walletId } from '@/lib/contract/chains'
import { ApiError } from '@/lib/contract/errors'
import { uuid } from '@/lib/contract/ids'
import { openGuestSession } from '@/lib/endpoints/session/guest'
import { config } from '@/lib/kernel/config'
import type { Accepts } from '@/lib/kernel/request-context'
import { admit } from '@/lib/pipeline/admit'
import { createKey } from '@/lib/services/identity/api-keys'
import { signedHeaders } from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { openWalletSession } from '@/lib/services/identity/sign-in/wallet-sessions'
import { testAccount, testContext } from '@/lib/services/identity/testing'

export function testWallet() {
  const account = privateKeyToAccount(generatePrivateKey())
  const { address } = account
  return {
    account,
    address: walletId(address),
    signIn(): Promise<Record<string, string>> {
      const { origin } = config()
      const signMessage = (message: string) => account.signMessage({ message })
      return signedHeaders({ family: 'evm', address, signMessage }, { domain: new URL(origin).host, uri: origin })
    },
  }
}

export type TestWallet = ReturnType<typeof testWallet>

export const ORIGIN = 'http://localhost:3000'

type KeyOptions = { type?: 'ADMIN' | 'INFERENCE'; status?: 'active' | 'disabled' | 'inactive'; expiresAt?: Date }

export async function newKey({ type = 'INFERENCE', status, expiresAt }: KeyOptions = {}) {
  const accountId = await testAccount({ status })
  return createKey({ accountId, type, description: '', expiresAt })
}

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

export async function walletCookie() {
  const wallet = await verifySignIn(testContext({ headers: await testWallet().signIn() }), { mayRepeat: false })
  const { cookie } = await openWalletSession(wallet, 'Chrome on Linux')
  return { cookie: cookie.split(';')[0]!, address: wallet.address, accountId: wallet.accountId }
}

export const guestCookie = async () => (await openGuestSession(uuid())).cookie.split(';')[0]!

export async function refusal(
  accepts: Accepts,
  headers: Record<string, string>,
  context = testContext({ headers }),
): Promise<ApiError> {
  const error = await admit(context, accepts).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ApiError) return error
  throw error ?? new Error('was admitted')
}
