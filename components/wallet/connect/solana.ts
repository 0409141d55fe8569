import { getBase58Decoder } from '@solana/kit'
import { type Adapter, type WalletName, WalletReadyState } from '@solana/wallet-adapter-base'
import { useWallet, type WalletContextState, WalletProvider } from '@solana/wallet-adapter-react'
import { VersionedTransaction } from '@solana/web3.js'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createStore } from 'zustand'
import { type FoundWallet, findWithin } from '@/components/wallet/connect/offers'
import { unsupported, walletErrorOf } from '@/lib/browser/wallet-error'
import { WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import { t } from '@/lib/i18n/t'

// A wallet that is remembered registers itself within this time after the page asked.
const REGISTER_MS = 500
const STORAGE_KEY = 'lagoon:solana-wallet'

const store = createStore<{ context?: WalletContextState }>(() => ({}))

/**
 * Lists the wallets that registered themselves (Wallet Standard), on Android also the phone's own (Mobile Wallet
 * Adapter).
 */
export function solanaWallets(): FoundWallet[] {
  return usable().map(({ name, icon }) => ({ family: 'solana', id: name, name, icon }))
}

export const onSolanaWallets = (listener: () => void): (() => void) => store.subscribe(listener)

/** Asks a wallet for its account; its window opens. @throws WalletError */
export async function connectSolana(name: string): Promise<WalletPort> {
  const adapter = await registered(name)
  if (!adapter)
    throw new WalletError('failed', t('This wallet is no longer available. Reload the page to detect wallets again.'))
  try {
    // The person may want another account than the one it stands on.
    if (adapter.connected) await adapter.disconnect()
    store.getState().context?.select(adapter.name)
    await adapter.connect()
  } catch (error) {
    throw walletErrorOf(error, adapter.name)
  }
  // An adapter that is still asking answers a second question with nothing.
  if (!adapter.publicKey) throw walletErrorOf({ code: -32002 }, adapter.name)
  if (!('signMessage' in adapter) && !('signIn' in adapter)) throw unsupported(name, 'sign-in')
  return portOf(adapter)
}

/** Finds a wallet and its account again. Opens no window in wallets that keep the standard. */
export async function reconnectSolana(name: string, address: string): Promise<WalletPort | undefined> {
  const adapter = await registered(name)
  if (!adapter) return undefined
  if (!adapter.connected) await adapter.autoConnect()
  return addressOf(adapter) === address ? portOf(adapter) : undefined
}

function portOf(adapter: Adapter): WalletPort {
  const address = addressOf(adapter) ?? ''
  const { name } = adapter
  const prompt = async <T>(ask: () => Promise<T>): Promise<T> => {
    // The adapter signs with whatever account the wallet stands on.
    if (addressOf(adapter) !== address) {
      throw new WalletError(
        'changed-account',
        t('{wallet} switched to another account. Switch back, then try again.', { wallet: name }),
      )
    }
    try {
      return await ask()
    } catch (error) {
      throw walletErrorOf(error, name)
    }
  }
  const port: WalletPort = {
    family: 'solana',
    id: name,
    name,
    address,
    isTest: false,
    signMessage: (text) =>
      prompt(async () => {
        if (!('signMessage' in adapter)) throw unsupported(name, 'sign-in')
        return getBase58Decoder().decode(await adapter.signMessage(new TextEncoder().encode(text)))
      }),
    signPayment: async (option) => {
      if (!('signTransaction' in adapter)) throw unsupported(name, 'payment')
      const { signTransaction } = adapter
      const { solanaPayment, walletSigner } = await import('@/components/wallet/top-up/payment-solana')
      const sign = (wire: Uint8Array) =>
        prompt(async () => {
          const signed = await signTransaction.call(adapter, VersionedTransaction.deserialize(wire))
          return signed.serialize()
        })
      return await solanaPayment(walletSigner(address, sign), option)
    },
    onSwitch(listener) {
      const onConnect = () => addressOf(adapter) !== address && listener(portOf(adapter))
      const onGone = () => listener(undefined)
      adapter.on('connect', onConnect)
      adapter.on('disconnect', onGone)
      return () => {
        adapter.off('connect', onConnect)
        adapter.off('disconnect', onGone)
      }
    },
    disconnect: () => adapter.disconnect(),
  }
  if (!('signMessage' in adapter) && 'signIn' in adapter) {
    const { signIn } = adapter
    port.signIn = ({ family: _, ...fields }) =>
      prompt(async () => {
        const { signedMessage, signature } = await signIn.call(adapter, withoutUndefined({ ...fields, version: '1' }))
        const message = new TextDecoder().decode(signedMessage)
        // The wallet wrote the text; one without our code in it proves nothing.
        if (!message.includes(fields.nonce)) throw unsupported(name, 'sign-in')
        return { message, signature: getBase58Decoder().decode(signature) }
      })
  }
  return port
}

const addressOf = (adapter: Adapter): string | undefined => adapter.publicKey?.toBase58()

function usable(): Adapter[] {
  return (store.getState().context?.wallets ?? [])
    .filter(({ readyState }) => readyState === WalletReadyState.Installed || readyState === WalletReadyState.Loadable)
    .map(({ adapter }) => adapter)
}

const registered = (name: string): Promise<Adapter | undefined> =>
  findWithin(REGISTER_MS, () => usable().find((adapter) => adapter.name === (name as WalletName)), onSolanaWallets)

function Bridge(): null {
  const context = useWallet()
  queueMicrotask(() => store.setState({ context }))
  return null
}

// Wallets reject a key that is present without a value.
function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}

// The provider wants a place in a tree, and draws nothing: it gets a tree of its own, which lives as long as the page.
createRoot(document.createElement('div')).render(
  createElement(WalletProvider, {
    wallets: [],
    autoConnect: false,
    localStorageKey: STORAGE_KEY,
    // Whoever asked hears of it.
    onError: () => undefined,
    // biome-ignore lint/correctness/noChildrenProp: the provider's type asks for it here
    children: createElement(Bridge),
  }),
)
