import 'server-only'
import { createKeyPairSignerFromBytes, createSolanaRpc, mainnet } from '@solana/kit'
import { x402Facilitator } from '@x402/core/facilitator'
import type { SupportedResponse } from '@x402/core/types'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { createWalletClient, defineChain, http, isAddressEqual, parseEther, publicActions, testActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { CHAIN_REFERENCE, EVM_NETWORK, SOLANA_NETWORK, USDC_EVM } from '@/lib/contract/chains'
import type { Sandbox } from '@/lib/services/chains/sandbox'

const POLL_MS = 50
const CONFIRMATION_TIMEOUT_MS = 20_000
const CALL_TIMEOUT_MS = 10_000
const GAS_MONEY = parseEther('10')

export async function localClient(chains: Pick<Sandbox, 'evmUrl' | 'solanaUrl' | 'facilitator'>) {
  const service = new x402Facilitator()
    .register(EVM_NETWORK, new ExactEvmScheme(await evmSigner(chains.evmUrl), { simulateInSettle: true }))
    .register(SOLANA_NETWORK, new ExactSvmScheme(await solanaSigner(chains.solanaUrl, chains.facilitator.solana)))
  return {
    verify: service.verify.bind(service),
    settle: service.settle.bind(service),
    // The library types a network as any text here, and as `namespace:reference` there.
    getSupported: async () => service.getSupported() as SupportedResponse,
  }
}

/**
 * Signs with a key of this process alone, which the local chain funds: processes sharing one key would take each
 * other's nonces. Writes within the process queue up, for the same reason.
 */
async function evmSigner(url: string) {
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = defineChain({
    id: Number(CHAIN_REFERENCE.evm),
    name: 'Sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const transport = http(url, { timeout: CALL_TIMEOUT_MS, retryCount: 1 })
  // A payer's contract must not make us fetch an address of its choice (EIP-3668).
  const settings = { pollingInterval: POLL_MS, ccipRead: false as const }
  const client = createWalletClient({ account, chain, transport, ...settings }).extend(publicActions)
  const inTurn = createQueue()
  await client.extend(testActions({ mode: 'anvil' })).setBalance({ address: account.address, value: GAS_MONEY })
  return toFacilitatorEvmSigner(
    {
      address: account.address,
      readContract: (call) => client.readContract(call as Parameters<typeof client.readContract>[0]),
      verifyTypedData: (message) => client.verifyTypedData(message as Parameters<typeof client.verifyTypedData>[0]),
      writeContract: (call) => inTurn(() => client.writeContract(call as Parameters<typeof client.writeContract>[0])),
      sendTransaction: (call) => inTurn(() => client.sendTransaction(call)),
      waitForTransactionReceipt: (wait) => client.waitForTransactionReceipt(wait),
      // The token is known to be there. Asked of a chain that is down, the library leaves a rejection that nobody handles.
      getCode: ({ address }) =>
        isAddressEqual(address, USDC_EVM) ? Promise.resolve('0x01' as const) : client.getCode({ address }),
    },
    { confirmationTimeoutMs: CONFIRMATION_TIMEOUT_MS },
  )
}

async function solanaSigner(url: string, secret: string) {
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(Buffer.from(secret, 'base64')))
  return toFacilitatorSvmSigner(signer, { [SOLANA_NETWORK]: createSolanaRpc(mainnet(url)) })
}

function createQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}
