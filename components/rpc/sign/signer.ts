import { useEffect, useState } from 'react'
import {
  type EIP1193Provider,
  type Hex,
  isHex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem'
import { isRecord } from '@/lib/browser/api'
import { openWallet } from '@/lib/browser/dialogs'
import { isSameAddress } from '@/lib/browser/format/address'
import { walletErrorOf } from '@/lib/browser/wallet-error'
import { useWalletPort, WalletError, type WalletPort, wallets } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

export type Signer = { port: WalletPort; problem?: string }

/** Lists the wallets that can sign for a network: the connected one, and on local chains the built-in test wallet. */
export function useSigners(network: RpcNetwork, isLocal: boolean) {
  const connected = useWalletPort()
  const [test, setTest] = useState<WalletPort>()
  const [chosen, setChosen] = useState<string>()
  useEffect(() => {
    if (!isLocal) return setTest(undefined)
    let isUnmounted = false
    void wallets()
      .then(({ testPort }) => testPort())
      .then((port) => !isUnmounted && setTest(port))
    return () => {
      isUnmounted = true
    }
  }, [isLocal])
  const ports = [test, connected?.isTest ? undefined : connected].filter((port) => port !== undefined)
  const signers = ports.map((port): Signer => ({ port, problem: signerProblem(port, network, isLocal) }))
  const signer = signers.find(({ port }) => port.address === chosen) ?? signers.find(({ problem }) => !problem)
  return { signers, signer, choose: (port: WalletPort) => setChosen(port.address) }
}

export async function connectSigner(): Promise<void> {
  const session = await openWallet({ why: t('To sign a transaction') })
  if (session?.address) await (await wallets()).portFor(session)
}

export function signerProblem(port: WalletPort, network: RpcNetwork, isLocal: boolean): string | undefined {
  if (port.family !== 'evm')
    return t('{wallet} doesn’t support this network. Choose another wallet.', { wallet: port.name })
  if (port.isTest)
    return network.isTestnet || isLocal
      ? undefined
      : t('The test wallet only signs on test networks. Choose another wallet.')
  // A local copy has the chain id of the real chain, and so would what is signed for it.
  if (!network.isTestnet) return t('A real wallet’s signature would be valid on the real network. Use the test wallet.')
  return undefined
}

/**
 * Has a transaction signed without sending it, and checks that it is this transaction by this account.
 * @throws WalletError; `unsupported` when the wallet signs only what it sends itself, as most do.
 */
export async function signRaw(port: WalletPort, transaction: TransactionSerializable): Promise<Hex> {
  const raw = port.signTransaction ? await port.signTransaction(transaction) : await requestSignature(port, transaction)
  await assertSame(raw, transaction, port)
  return raw
}

/** Has the wallet sign and send a transaction by its own node. Returns the hash. @throws WalletError */
export async function sendByWallet(port: WalletPort, transaction: TransactionSerializable): Promise<Hex> {
  const provider = await connectedProvider(port)
  try {
    const chainId = numberToHex(transaction.chainId ?? 0)
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] })
    const hash: unknown = await provider.request({
      method: 'eth_sendTransaction',
      params: [wireOf(port, transaction)] as never,
    })
    if (isHex(hash) && hash.length === 66) return hash
  } catch (error) {
    throw walletErrorOf(error, port.name)
  }
  throw new WalletError(
    'failed',
    t('{wallet} returned no hash. Check the wallet before you try again.', { wallet: port.name }),
  )
}

async function requestSignature(port: WalletPort, transaction: TransactionSerializable): Promise<Hex> {
  const provider = await connectedProvider(port)
  try {
    // It is in no list of what wallets must do, so no type has it.
    const request = provider.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
    const signed = await request({ method: 'eth_signTransaction', params: [wireOf(port, transaction)] })
    const raw = isRecord(signed) ? signed.raw : signed
    if (isHex(raw)) return raw
  } catch (error) {
    throw walletErrorOf(error, port.name)
  }
  throw new WalletError('failed', t('{wallet} returned no signed transaction. Try again.', { wallet: port.name }))
}

async function connectedProvider(port: WalletPort): Promise<EIP1193Provider> {
  const provider = await providerOf(port.id)
  if (!provider)
    throw new WalletError('failed', t('{wallet} can’t be found. Reload the page and try again.', { wallet: port.name }))
  return provider
}

function wireOf(port: WalletPort, { to, value, data, gas, nonce, chainId, ...fees }: TransactionSerializable) {
  const hex = (name: string, amount: bigint | number | undefined) =>
    amount === undefined ? {} : { [name]: numberToHex(amount) }
  return {
    from: port.address,
    ...(to && { to }),
    data: data ?? '0x',
    ...hex('value', value),
    ...hex('gas', gas),
    ...hex('nonce', nonce),
    ...hex('chainId', chainId),
    ...hex('gasPrice', fees.gasPrice),
    ...hex('maxFeePerGas', fees.maxFeePerGas),
    ...hex('maxPriorityFeePerGas', fees.maxPriorityFeePerGas),
  }
}

// A wallet may change what it signs; then it is not what the person read, and it is not sent.
async function assertSame(raw: Hex, expected: TransactionSerializable, port: WalletPort): Promise<void> {
  const isSame = await isSigned(raw, expected, port).catch(() => false)
  if (isSame) return
  throw new WalletError(
    'failed',
    t('{wallet} signed a different transaction. Nothing was sent.', { wallet: port.name }),
  )
}

async function isSigned(raw: Hex, expected: TransactionSerializable, port: WalletPort): Promise<boolean> {
  const serializedTransaction = raw as Parameters<typeof recoverTransactionAddress>[0]['serializedTransaction']
  const {
    r: _r,
    s: _s,
    v: _v,
    yParity: _y,
    ...bare
  } = parseTransaction(serializedTransaction) as TransactionSerializable & {
    r?: Hex
    s?: Hex
    v?: bigint
    yParity?: number
  }
  if (hashOf(bare) !== hashOf(expected)) return false
  return isSameAddress(await recoverTransactionAddress({ serializedTransaction }), port.address)
}

const hashOf = (transaction: TransactionSerializable): Hex => keccak256(serializeTransaction(transaction))

// An installed wallet announces itself within this.
const ANNOUNCE_MS = 500
const UNNAMED = 'injected'

type Announced = CustomEvent<{ info: { rdns: string }; provider: EIP1193Provider }>

// Source: EIP-6963.
function providerOf(id: string): Promise<EIP1193Provider | undefined> {
  if (id === UNNAMED) return Promise.resolve((window as { ethereum?: EIP1193Provider }).ethereum)
  return new Promise((resolve) => {
    const end = (provider?: EIP1193Provider) => {
      clearTimeout(timer)
      window.removeEventListener('eip6963:announceProvider', onAnnounce)
      resolve(provider)
    }
    const onAnnounce = (event: Event) => {
      const { info, provider } = (event as Announced).detail
      if (info.rdns === id) end(provider)
    }
    const timer = setTimeout(end, ANNOUNCE_MS)
    window.addEventListener('eip6963:announceProvider', onAnnounce)
    window.dispatchEvent(new Event('eip6963:requestProvider'))
  })
}
