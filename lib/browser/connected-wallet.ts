import { useSyncExternalStore } from 'react'
import type { Session } from '@/lib/browser/session-type'
import type { WalletPort } from '@/lib/browser/wallet-port'

/** What other features ask of the wallet's own. */
export type WalletConnector = {
  /** The connected wallet of a session, found again or asked for. @throws WalletError */
  portFor(session: Session): Promise<WalletPort>
  /** The built-in wallet on an EVM chain. */
  testPort(): Promise<WalletPort>
}

let connected: WalletPort | undefined
let load: (() => Promise<WalletConnector>) | undefined
const listeners = new Set<() => void>()

/** The wallet that is connected to this page; none after a reload until something needs it. */
export function useWalletPort(): WalletPort | undefined {
  return useSyncExternalStore(subscribe, connectedPort, () => undefined)
}

export const connectedPort = (): WalletPort | undefined => connected

export function setConnectedPort(port: WalletPort | undefined): void {
  connected = port
  for (const listener of listeners) listener()
}

/** Says where wallets come from. What connects them is fetched when it is first needed. */
export function provideWallets(connector: () => Promise<WalletConnector>): void {
  load = connector
}

/** @throws Error where the page has no wallets */
export async function wallets(): Promise<WalletConnector> {
  if (!load) throw new Error('no wallets are provided')
  return await load()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
