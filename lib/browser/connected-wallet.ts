import { create } from 'zustand'
import type { Session } from '@/lib/browser/session-type'
import type { WalletPort } from '@/lib/browser/wallet-port'

/** What other features ask of the wallet's own. */
export type WalletConnector = {
  /** The connected wallet of a session, found again or asked for. @throws WalletError */
  portFor(session: Session): Promise<WalletPort>
  /** The built-in wallet on an EVM chain. */
  testPort(): Promise<WalletPort>
}

const useConnected = create<{ port?: WalletPort | undefined }>(() => ({}))

/** The wallet that is connected to this page; none after a reload until something needs it. */
export const useWalletPort = (): WalletPort | undefined => useConnected(({ port }) => port)

export const connectedPort = (): WalletPort | undefined => useConnected.getState().port

export const setConnectedPort = (port: WalletPort | undefined): void => useConnected.setState({ port })

let load: (() => Promise<WalletConnector>) | undefined

/** Says where wallets come from. What connects them is fetched when it is first needed. */
export function provideWallets(connector: () => Promise<WalletConnector>): void {
  load = connector
}

/** @throws Error where the page has no wallets */
export async function wallets(): Promise<WalletConnector> {
  if (!load) throw new Error('no wallets are provided')
  return await load()
}
