import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { CHAIN_REFERENCE, walletId } from '@/lib/contract/chains'
import { hex } from '@/lib/contract/ids'
import { signInText } from '@/lib/contract/sign-in-format'
import { config } from '@/lib/kernel/config'

export function testWallet() {
  const account = privateKeyToAccount(generatePrivateKey())
  return {
    account,
    address: walletId(account.address),
    async signIn(): Promise<{ 'sign-in-with-x': string }> {
      const { origin } = config()
      const message = signInText({
        family: 'evm',
        domain: new URL(origin).host,
        address: account.address,
        uri: origin,
        chainId: CHAIN_REFERENCE.evm,
        nonce: hex(16),
        issuedAt: new Date().toISOString(),
      })
      const signature = await account.signMessage({ message })
      const proof = { address: account.address, message, signature, chainId: 8453, timestamp: Date.now() }
      return { 'sign-in-with-x': Buffer.from(JSON.stringify(proof)).toString('base64') }
    },
  }
}

export type TestWallet = ReturnType<typeof testWallet>
