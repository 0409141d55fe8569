import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { walletId } from '@/lib/contract/chains'
import { config } from '@/lib/kernel/config'
import { signedHeaders } from '@/lib/services/identity/sign-in/testing'

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
