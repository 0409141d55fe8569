import { createDialogRequest } from '@/lib/browser/dialog-request'
import type { Usd } from '@/lib/contract/money'

/** What the sheet is opened for. */
export type TopUpRequest = {
  /** What is missing, where that is known: the sheet offers an amount that covers it. */
  needed?: Usd
  /** One line above the amounts: what the credit is for. */
  why?: string
}

const dialog = createDialogRequest<TopUpRequest, boolean>()

/** Opens the sheet that adds credit. True once credit was added, false when the sheet was closed without. */
export const openTopUp = (request: TopUpRequest = {}): Promise<boolean> => dialog.open(request)

/** Tells whoever opened the sheet that there is credit now: what waits for it goes on while the receipt is read. */
export const answerTopUp = (): void => dialog.answer(true)

/** Closes the sheet; whoever opened it and has no answer yet hears that nothing came of it. */
export const closeTopUp = (): void => dialog.close(false)

/** What the sheet is open for, if it is. */
export const useTopUpRequest = dialog.use
