import { createDialogRequest } from '@/lib/browser/dialog-request'
import type { Session } from '@/lib/browser/session-type'

/** What the wallet dialog is opened for. */
export type WalletRequest = {
  /** What the person was about to do, as the beginning of a sentence: `To send this message`. */
  why?: string
  /** A session that stands, whose wallet only has to be connected again: nothing is signed. */
  session?: Session
}

const dialog = createDialogRequest<WalletRequest, Session | null>()

/**
 * Opens the dialog that connects a wallet and signs in. Resolves with the session, or `null` when the dialog was closed
 * without one.
 */
export const openWallet = (request: WalletRequest = {}): Promise<Session | null> => dialog.open(request)

/** Ends the dialog and tells whoever asked for it. */
export const settleWallet = (session: Session | null): void => dialog.close(session)

/** What the dialog is asked for, if it is. */
export const walletRequest = dialog.read
export const useWalletRequest = dialog.use
