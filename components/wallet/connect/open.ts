import { requestWallet, type WalletRequest } from '@/lib/browser/dialogs'
import type { Session } from '@/lib/browser/session'

/**
 * Opens the dialog that connects a wallet and signs in. Resolves with the session, or `null` when the dialog was closed
 * without one. Opened twice it is one dialog, and both askers hear the same.
 */
export function openWallet(options: Pick<WalletRequest, 'why'> = {}): Promise<Session | null> {
  return requestWallet(options)
}
