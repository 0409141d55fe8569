import { createClient, custom, type EIP1193Provider, getAddress } from 'viem'
import { signMessage, signTypedData, switchChain } from 'viem/actions'
import { base } from 'viem/chains'
import { type Connector, createConfig, createStorage, http, injected, noopStorage } from 'wagmi'
import { connect, disconnect } from 'wagmi/actions'
import { type FoundWallet, findWithin } from '@/components/wallet/connect/offers'
import { isSameAddress } from '@/lib/browser/format/address'
import { walletErrorOf } from '@/lib/browser/wallet-error'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { t } from '@/lib/i18n/t'

// A wallet that is remembered announces itself within this time after the page asked.
const ANNOUNCE_MS = 500
// The name that wagmi gives a wallet in `window.ethereum` that announces nothing.
const UNNAMED = 'injected'

const config = createConfig({
  chains: [base],
  connectors: [injected()],
  transports: { [base.id]: http(`${window.location.origin}/api/chain/evm`) },
  storage: createStorage({ key: 'lagoon:wagmi', storage: storageOfThisBrowser() }),
})

/** Lists the wallets that announced themselves (EIP-6963), or the one in `window.ethereum` where none did. */
export function evmWallets(): FoundWallet[] {
  const named = config.connectors.filter(({ id }) => id !== UNNAMED)
  if (named.length > 0) return named.map(({ id, name, icon }) => ({ family: 'evm', id, name, icon }))
  return 'ethereum' in window ? [{ family: 'evm', id: UNNAMED, name: t('Browser wallet') }] : []
}

export const onEvmWallets = (listener: () => void): (() => void) =>
  config.subscribe(() => config.connectors.length, listener)

/** Asks a wallet for its accounts; its window opens. @throws WalletError */
export async function connectEvm(id: string): Promise<WalletPort> {
  const connector = connectorOf(id)
  if (!connector)
    throw new WalletError('failed', t('This wallet is no longer available. Reload the page to detect wallets again.'))
  try {
    // wagmi refuses to connect what it holds as connected; the person may want another account of it.
    config.setState((state) => ({ ...state, current: null, connections: new Map() }))
    const { accounts } = await connect(config, { connector })
    const [address] = accounts
    if (!address) {
      const wallet = connectorName(connector)
      throw new WalletError(
        'locked',
        t('{wallet} did not share an account. Unlock {wallet}, then try again.', { wallet }),
      )
    }
    return portOf(connector, address)
  } catch (error) {
    throw walletErrorOf(error, connectorName(connector))
  }
}

/** Finds a wallet and its account again without opening a window; undefined where the wallet does not allow that. */
export async function reconnectEvm(id: string, address: string): Promise<WalletPort | undefined> {
  const connector = await findWithin(ANNOUNCE_MS, () => connectorOf(id), onEvmWallets)
  if (!connector || !(await connector.isAuthorized())) return undefined
  const { accounts } = await connector.connect({ isReconnecting: true })
  const account = accounts.find((known) => isSameAddress(known, address))
  return account && portOf(connector, account)
}

function portOf(connector: Connector, account: string): WalletPort {
  const address = getAddress(account)
  const name = connectorName(connector)
  const client = async () => {
    const provider = (await connector.getProvider()) as EIP1193Provider
    return createClient({ account: address, chain: base, transport: custom(provider, { retryCount: 0 }) })
  }
  return {
    family: 'evm',
    id: connector.id,
    name,
    address,
    isTest: false,
    async signMessage(message) {
      try {
        return await signMessage(await client(), { message })
      } catch (error) {
        throw walletErrorOf(error, name)
      }
    },
    async signPayment(option) {
      const wallet = await client()
      const { evmPayment } = await import('@/components/wallet/top-up/payment-evm')
      const sign = () => evmPayment({ address, signTypedData: (data) => signTypedData(wallet, data) }, option)
      try {
        return await sign().catch(async (error: unknown) => {
          if (!wantsAnotherChain(error)) throw error
          await switchChain(wallet, { id: base.id })
          return await sign()
        })
      } catch (error) {
        throw walletErrorOf(error, name)
      }
    },
    onSwitch(listener) {
      const onChange = ({ accounts }: { accounts?: readonly string[] | undefined }) => {
        const [first] = accounts ?? []
        if (first && !isSameAddress(first, address)) listener(portOf(connector, first))
      }
      const onGone = () => listener(undefined)
      connector.emitter.on('change', onChange)
      connector.emitter.on('disconnect', onGone)
      return () => {
        connector.emitter.off('change', onChange)
        connector.emitter.off('disconnect', onGone)
      }
    },
    disconnect: () => disconnect(config, { connector }),
  }
}

const connectorOf = (id: string): Connector | undefined => config.connectors.find((connector) => connector.id === id)

// Typed data names its chain, and some wallets sign it only while they are on that chain themselves.
function wantsAnotherChain(error: unknown): boolean {
  return error instanceof Error && /chain ?id|active chain|wrong (chain|network)/i.test(error.message)
}

// Storage may be switched off; then the last wallet is forgotten with the page.
function storageOfThisBrowser() {
  try {
    return window.localStorage
  } catch {
    return noopStorage
  }
}

const connectorName = ({ id, name }: Connector): string => (id === UNNAMED ? t('Your wallet') : name)
