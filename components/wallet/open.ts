import type { Session } from '@/lib/client/session'
import { requestWallet, type WalletRequest } from '@/lib/client/wallet-request'

/**
 * Opens the dialog that connects a wallet and signs in. Resolves with the session, or `null` when the dialog was closed
 * without one. Opened twice it is one dialog, and both askers hear the same.
 */
export function openWallet(options: Pick<WalletRequest, 'why'> = {}): Promise<Session | null> {
  return requestWallet(options)
}
