import { TEST_WALLET, type Way, wayKey, wayOf } from '@/components/wallet/connect/offers'
import { openWallet } from '@/lib/browser/dialogs'
import { isSameAddress, shortAddress } from '@/lib/browser/format/address'
import { readPreference, writePreference } from '@/lib/browser/preferences'
import { connectedPort, setConnectedPort, WalletError, type WalletPort } from '@/lib/browser/wallet-port'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

let unwatch: (() => void) | undefined

/** Makes a wallet the connected one and follows its switches of account. */
export function keepPort(port: WalletPort | undefined): void {
  unwatch?.()
  setConnectedPort(port)
  unwatch = port?.onSwitch(keepPort)
  if (port) writePreference('wallet', wayKey(port))
}

/** Connects a wallet; its window opens. @throws WalletError */
export async function connectWallet(way: Way): Promise<WalletPort> {
  if (way.id === TEST_WALLET) return (await testWallet()).connectTest(way.family)
  if (way.family === 'evm') return (await import('@/components/wallet/connect/evm')).connectEvm(way.id)
  return (await import('@/components/wallet/connect/solana')).connectSolana(way.id)
}

/**
 * Returns the wallet of a session: the connected one, or the last one found again without a window, or the one chosen
 * in the dialog. @throws WalletError `changed-account` when another account is connected, `rejected` when the dialog
 * was closed.
 */
export async function portFor(session: Session): Promise<WalletPort> {
  const { address } = session
  if (address === null) throw new WalletError('unsupported', t('Sign in with a wallet first.'))
  const known = connectedPort()
  const found = isPortOf(known, address) ? known : await reconnect(address)
  if (found) return found
  const answer = await openWallet({ session })
  const chosen = connectedPort()
  if (isPortOf(chosen, address)) return chosen
  if (!answer) throw new WalletError('rejected', t('You declined the request. Nothing was changed.'))
  if (!isSameAddress(answer.address ?? '', address)) {
    throw new WalletError(
      'changed-account',
      t('You are now signed in with another wallet. Nothing was signed. Try again.'),
    )
  }
  throw new WalletError(
    'changed-account',
    t('You are signed in as {address}. Select that account in your wallet, or sign in with the other account.', {
      address: shortAddress(address),
    }),
  )
}

async function reconnect(address: string): Promise<WalletPort | undefined> {
  const way = wayOf(readPreference('wallet'))
  if (!way) return undefined
  const port = await silently(way, address).catch(() => undefined)
  if (port) keepPort(port)
  return port
}

async function silently(way: Way, address: string): Promise<WalletPort | undefined> {
  if (way.id === TEST_WALLET) return (await testWallet()).reconnectTest(way.family, address)
  if (way.family === 'evm') return (await import('@/components/wallet/connect/evm')).reconnectEvm(way.id, address)
  return (await import('@/components/wallet/connect/solana')).reconnectSolana(way.id, address)
}

const testWallet = () => import('@/components/wallet/connect/test-wallet')

const isPortOf = (port: WalletPort | undefined, address: string): port is WalletPort =>
  port !== undefined && isSameAddress(port.address, address)

/** Returns the built-in wallet on an EVM chain, which needs no session. */
export const testPort = async (): Promise<WalletPort> => (await testWallet()).connectTest('evm')
